/** Copies of the contracts of actions of other services. */
import { always, command, fields as t } from '@association-service/contracts';

const minorOf = { member_id: t.id(), amount_minor: t.minor() };

export const contribution = {
  meetingSummary: command({
    name: 'contribution.meeting_summary',
    reads: always,
    input: { association_id: t.id(), meeting_id: t.id(), after_member_id: t.optional(t.id()) },
    answer: t.object({
      meeting_id: t.id(),
      cycle_id: t.nullable(t.id()),
      round: t.nullable(t.integer(1, t.UNBOUNDED)),
      title: t.nullable(t.text(0, 200)),
      due_on: t.date(),
      status: t.enumeration(['open', 'settling', 'settled', 'cancelled']),
      currency: t.currency(),
      dues: t.list(t.object({ member_id: t.id(), outstanding_minor: t.minor(), arrears_minor: t.minor() })),
      beneficiaries: t.list(t.object({ member_id: t.id(), expected_minor: t.minor() })),
      payouts: t.list(t.object({ ...minorOf, method: t.enumeration(['wallet', 'cash']) })),
      next_member_id: t.nullable(t.id()),
    }),
  }),
};

export const governance = {
  waitingVotes: command({
    name: 'governance.waiting_votes',
    reads: always,
    input: { association_id: t.id(), approval_id: t.id() },
    answer: t.object({
      status: t.enumeration(['pending', 'approved', 'rejected', 'expired', 'cancelled']),
      subject_type: t.text(1, 100),
      expires_at: t.instant(),
      waiting_member_ids: t.list(t.id()),
    }),
  }),
};
