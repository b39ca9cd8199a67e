import { subscription } from '../../../lib/service/service-context.ts';
import { markForReevaluation } from './approval.store.ts';

/** The consumers of the events after which an association's board may have changed. */
const BOARD_CHANGES = [
  'governance-member-expelled',
  'governance-member-left',
  'governance-member-role-changed',
] as const;

/**
 * Marks an association's undecided approvals when its board may have changed, so that their votes are evaluated again: a
 * vote counts only while its voter holds a board role, and too few voters may remain to approve a request.
 * review-approvals.ts reads the board later, as no transaction may wait for membership.
 */
export const onBoardChange = () =>
  BOARD_CHANGES.map((durable) =>
    subscription({
      durable,
      handle: async ({ id, subject }, tx) => {
        if (subject !== undefined) await markForReevaluation(tx, subject, id);
      },
    }),
  );
