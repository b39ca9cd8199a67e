/** Reads about a member for other services. */
import { obligations, statementFacts } from '../../../lib/contracts/contribution.ts';
import type { MeetingReference } from '../../../lib/contracts/fields.ts';
import { implementCommand } from '../../../lib/service/implement.ts';
import type { ContributionDeps } from '../deps.ts';
import {
  findMeetingsOfTransfers,
  findObligations,
  listArrearsOfMember,
  listFinesOfMember,
} from './association.store.ts';

/** Returns to membership what prevents a member from leaving. */
export function obligationsAction({ reads }: ContributionDeps) {
  return implementCommand(obligations, ({ association_id, member_id, cycle_id }) =>
    findObligations(reads, association_id, member_id, cycle_id),
  );
}

/** Returns the meetings, arrears and fines of a member's statement to the treasury, which stores only transfers. */
export function statementFactsAction({ reads }: ContributionDeps) {
  return implementCommand(statementFacts, async ({ association_id, member_id, transfer_ids }) => {
    const [meetings, arrears, fines] = await Promise.all([
      findMeetingsOfTransfers(reads, association_id, transfer_ids),
      listArrearsOfMember(reads, association_id, member_id),
      listFinesOfMember(reads, association_id, member_id),
    ]);
    return {
      meetings: meetings.map((row) => ({ meeting: referenceOf(row), transfer_ids: row.transfer_ids })),
      owes_minor: Number(arrears[0]?.owes_all_minor ?? 0n),
      is_owed_minor: Number(arrears[0]?.is_owed_all_minor ?? 0n),
      arrears: arrears.map((row) => ({
        meeting: referenceOf(row),
        owes_minor: Number(row.owes_minor),
        is_owed_minor: Number(row.is_owed_minor),
        since: row.since.toISOString(),
      })),
      fines_minor: Number(fines[0]?.all_minor ?? 0n),
      fines: fines.map(({ fine_id, code, reason, meeting, outstanding_minor, assessed_at }) => ({
        fine_id,
        code,
        reason,
        meeting,
        outstanding_minor: Number(outstanding_minor),
        assessed_at: assessed_at.toISOString(),
      })),
    };
  });
}

function referenceOf({ id, round, title, due_on }: MeetingReference): MeetingReference {
  return { id, round, title, due_on };
}
