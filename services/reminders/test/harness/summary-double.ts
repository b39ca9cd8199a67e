import { contribution } from '@association-service/contracts';
import { implementCommand } from '@association-service/contracts/moleculer';

/** Answers what a meeting means, with one member who owes 10 000. */
export function summaryDouble(meetings: ReadonlyMap<string, { member_id: string; due_on: string }>) {
  return implementCommand(contribution.meetingSummary, ({ meeting_id }) => {
    const { member_id = '', due_on = '' } = meetings.get(meeting_id) ?? {};
    const due = { member_id, outstanding_minor: 10_000, arrears_minor: 0 };
    const about = {
      meeting_id,
      cycle_id: null,
      round: null,
      title: null,
      due_on,
      status: 'open',
      currency: 'XAF',
    } as const;
    return Promise.resolve({ ...about, dues: [due], beneficiaries: [], payouts: [], next_member_id: null });
  });
}
