/** What members still owe: for services that let them leave, or that write their statements. */
import { boolean, boundedList, id, instant, list, minor, nullable, object } from '../../schema/fields.ts';
import { always, command } from '../action.ts';
import { inAssociation, meetingReference } from '../ids.ts';
import { STATEMENT_MAX_MOVEMENTS } from '../treasury/statements.ts';

/** Whether a cycle that has not completed, or arrears, keep a member from leaving. Only this service knows for sure. */
export const obligations = command({
  name: 'contribution.obligations',
  reads: always,
  input: { ...inAssociation, member_id: id(), cycle_id: nullable(id()) },
  answer: object({ cycle_running: boolean(), has_arrears: boolean() }),
});

/**
 * For a member's statement: the meetings of these transfers, and what the member owes and is owed from settled rounds.
 * The totals are of all rounds, the list is of the oldest.
 */
export const statementFacts = command({
  name: 'contribution.statement_facts',
  reads: always,
  input: { ...inAssociation, member_id: id(), transfer_ids: boundedList(id(), 0, STATEMENT_MAX_MOVEMENTS) },
  answer: object({
    meetings: list(object({ meeting: meetingReference, transfer_ids: list(id()) })),
    owes_minor: minor(),
    is_owed_minor: minor(),
    arrears: list(object({ meeting: meetingReference, owes_minor: minor(), is_owed_minor: minor(), since: instant() })),
  }),
});
