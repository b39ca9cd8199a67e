/** What members still owe: for services that let them leave, or that write their statements. */
import * as t from '../fields.ts';
import { always, command } from '../action.ts';
import { STATEMENT_MAX_MOVEMENTS } from '../treasury/statements.ts';

/** Whether a cycle that has not completed, or arrears, keep a member from leaving. Only this service knows for sure. */
export const obligations = command({
  name: 'contribution.obligations',
  reads: always,
  input: { ...t.inAssociation, member_id: t.id(), cycle_id: t.nullable(t.id()) },
  answer: t.object({ cycle_running: t.boolean(), has_arrears: t.boolean() }),
});

/**
 * For a member's statement: the meetings of these transfers, and what the member owes and is owed from settled rounds.
 * The totals are of all rounds, the list is of the oldest.
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
  }),
});
