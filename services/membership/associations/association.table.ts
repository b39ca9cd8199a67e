import type { Frequency } from '../../../lib/calendar/calendar.ts';
import type { ASSOCIATION_STATUSES, ASSOCIATION_TYPES, Rules, Terms } from '../../../lib/contracts/membership.ts';

export type AssociationType = (typeof ASSOCIATION_TYPES)[number];
export type AssociationStatus = (typeof ASSOCIATION_STATUSES)[number];

/** An association as it is stored. */
export interface AssociationRecord {
  id: string;
  name: string;
  description: string | null;
  type: AssociationType;
  status: AssociationStatus;
  currency: string;
  /** What each hand owes at each meeting. */
  contribution_amount_minor: bigint;
  contribution_frequency: Frequency;
  max_members: number;
  is_public: boolean;
  /** Active members; changed only under the lock on this row. */
  member_count: number;
  rules: Rules;
  rules_version: number;
  created_at: Date;
}

/** What decides the terms: all that other services know of an association. */
export type AssociationTerms = Pick<
  AssociationRecord,
  | 'id'
  | 'name'
  | 'type'
  | 'status'
  | 'currency'
  | 'contribution_amount_minor'
  | 'contribution_frequency'
  | 'rules'
  | 'rules_version'
>;

/** The terms in the form in which they cross to other services. */
export function termsOf(association: AssociationTerms): Terms {
  return {
    association_id: association.id,
    name: association.name,
    type: association.type,
    status: association.status,
    currency: association.currency,
    contribution_amount_minor: Number(association.contribution_amount_minor),
    contribution_frequency: association.contribution_frequency,
    rules: association.rules,
    rules_version: association.rules_version,
  };
}
