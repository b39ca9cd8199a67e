/** Debts of members, for services that let members leave or write their statements. */
import * as t from '../fields.ts';
import { always, chapter, command } from '../action.ts';
import { fineCode } from '../membership/fine-rules.ts';
import { REASON_MAX_CODE_POINTS } from '../treasury/ledger.ts';
import { STATEMENT_MAX_MOVEMENTS } from '../treasury/statements.ts';

const membership = { ...t.inAssociation, member_id: t.id(), tenure: t.integer(0, t.UNBOUNDED), departure_id: t.id() };

/**
 * Locks a membership that is about to end, unless the member has paid on a sheet that is not decided. Then no sheet with
 * the member is submitted, and the board does not fine them. Processes of 0.1.0 do not have it.
 */
export const lockMembership = command({
  name: 'contribution.lock_membership',
  input: membership,
  answer: t.object({ locked: t.boolean() }),
});

/** Lifts the lock of this departure permanently: a request to lock that arrives later has no effect. */
export const unlockMembership = command({
  name: 'contribution.unlock_membership',
  input: membership,
  answer: t.object({ ok: t.boolean() }),
});

/**
 * Whether an uncompleted cycle prevents a member from leaving, or arrears, fines or a submitted sheet on which they have paid
 * (`has_arrears`). Only this service knows that reliably.
 */
export const obligations = command({
  name: 'contribution.obligations',
  reads: always,
  input: { ...t.inAssociation, member_id: t.id(), cycle_id: t.nullable(t.id()) },
  answer: t.object({ cycle_running: t.boolean(), has_arrears: t.boolean() }),
});

/**
 * Reads the data of a member's statement: the meetings of these transfers, what the member owes and is owed from
 * settled rounds, and their fines. Totals include all of them, the lists only the oldest.
 */
export const statementFacts = command({
  name: 'contribution.statement_facts',
  reads: always,
  input: { ...t.inAssociation, member_id: t.id(), transfer_ids: t.boundedList(t.id(), 0, STATEMENT_MAX_MOVEMENTS) },
  answer: t.object({
    meetings: t.list(t.object({ meeting: t.meetingReference, transfer_ids: t.list(t.id()) })),
    owes_minor: t.minor(),
    is_owed_minor: t.minor(),
    arrears: t.list(
      t.object({ meeting: t.meetingReference, owes_minor: t.minor(), is_owed_minor: t.minor(), since: t.instant() }),
    ),
    /** The fines that are due, the oldest ones; `fines_minor` is the sum of all. Absent from processes of 0.1.0. */
    fines: t.optional(
      t.list(
        t.object({
          fine_id: t.id(),
          code: fineCode(),
          reason: t.nullable(t.text(1, REASON_MAX_CODE_POINTS)),
          meeting: t.nullable(t.meetingReference),
          outstanding_minor: t.minor(),
          assessed_at: t.instant(),
        }),
      ),
    ),
    fines_minor: t.optional(t.minor()),
  }),
});

const unpaidArrears = t.record('UnpaidArrears', {
  meeting_id: t.meetingId('The settled round.'),
  member_id: t.memberId('The member who owes it.'),
  creditor_id: t.memberId('The member who is owed it.', t.EXAMPLE.president_id),
  amount: t.money('What is not paid yet.', 6_000),
  since: t.at('When the round was settled.'),
});

export const listArrears = chapter('Settlement')({
  name: 'contribution.list_arrears',
  summary: 'List arrears',
  description: 'What members owe one another from settled rounds and have not paid, oldest first.',
  permission: 'read',
  path: t.inAssociation,
  query: {
    ...t.pageQuery,
    member_id: t.optional(t.memberId('Only what this member owes.')),
    creditor_id: t.optional(t.memberId('Only what this member is owed.', t.EXAMPLE.president_id)),
  },
  answer: t.pageOf(unpaidArrears),
});
