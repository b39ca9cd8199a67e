import { meetingSummary, SUMMARY_MAX_MEMBERS } from '../../../lib/contracts/contribution.ts';
import { NO_SUCH_ID, PAYMENT_METHODS } from '../../../lib/contracts/fields.ts';
import { implementCommand } from '../../../lib/service/implement.ts';
import type { ContributionDeps } from '../deps.ts';
import { listOwing } from '../payments/contribution.store.ts';
import { listPaidOut } from '../settlement/settlement.store.ts';
import { findShownMeeting } from './meeting.store.ts';
import { showSummary } from './summary.view.ts';

/** Returns to other services what members owe for a meeting and get from it, in one snapshot, as it may be settled meanwhile. */
export function meetingSummaryAction({ reads }: ContributionDeps) {
  return implementCommand(meetingSummary, ({ limit = SUMMARY_MAX_MEMBERS, after_member_id, ...path }) => {
    // The nil UUID comes before all others.
    const after_id = after_member_id ?? NO_SUCH_ID;
    const members = limit + 1;
    return reads.snapshot(async (db) => {
      const [meeting, owing, paid] = await Promise.all([
        findShownMeeting(db, path),
        listOwing(db, path.meeting_id, after_id, members),
        listPaidOut(db, path.meeting_id, after_id, members * PAYMENT_METHODS.length),
      ]);
      return showSummary(meeting, owing, paid, { after_id, limit });
    });
  });
}
