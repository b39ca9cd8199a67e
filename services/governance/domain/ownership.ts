import type { SubjectType } from '../../../lib/contracts/approvals.ts';

/** The services that carry out what was decided. */
export type Owner = 'membership' | 'treasury';

/** Who carries out what was decided about a subject. Null: a motion is words, and deciding it is all there is to do. */
export const OWNER_OF: Record<SubjectType, Owner | null> = {
  cash_deposit: 'treasury',
  distribution: 'treasury',
  role_change: 'membership',
  rules_change: 'membership',
  expulsion: 'membership',
  closure: 'membership',
  motion: null,
};
