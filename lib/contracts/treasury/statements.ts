import * as t from '../fields.ts';
import { chapter } from '../action.ts';
import { associationName } from '../membership/associations.ts';
import { displayName } from '../membership/members.ts';
import { ledgerHeadShape, postedAt, REFERENCE, reference, seq, transferKind } from './ledger.ts';

/** Some 4 MB of JSON: as much as a reader can use at once. A longer statement has to be asked for by period. */
export const STATEMENT_MAX_MOVEMENTS = 10_000;

const memberArrears = t.record('MemberArrears', {
  meeting: t.describe(t.meetingReference, 'The settled round.'),
  owes: t.money('What the member still owes from it.', 2_000),
  is_owed: t.money('What the member is still owed from it.', 0),
  since: t.at('When the round was settled.'),
});

const movement = t.record('Movement', {
  transfer_id: t.transferId(),
  seq: seq('The place of the transfer in the chain.'),
  kind: transferKind(),
  posted_at: postedAt(),
  method: t.payoutMethod(),
  amount: t.money('Above zero what the member paid in, below zero what they were paid.', 10_000),
  balance_after: t.money('The balance after this movement.', 10_000),
  meeting: t.nullable(t.describe(t.meetingReference, 'The meeting of the movement; null if it has none.')),
  reference: reference(REFERENCE, null),
  hash: t.sha256('The hash of the transfer.'),
});

const statementShape = t.record('Statement', {
  association: t.describe(
    t.object({ id: t.ownId(t.EXAMPLE.association_id), name: associationName() }),
    'The association.',
  ),
  member: t.describe(
    t.object({ id: t.ownId(t.EXAMPLE.member_id), user_id: t.userId(), display_name: t.nullable(displayName()) }),
    'The member whose statement it is.',
  ),
  currency: t.currencyCode(),
  from: t.nullable(t.date('The first day, in UTC; null: from the beginning.', '2026-10-01')),
  to: t.nullable(t.date('The last day, in UTC; null: until now.', '2026-10-31')),
  opening_balance: t.money('What the member paid in less what they were paid, before the first movement.', 0),
  closing_balance: t.money('The same after the last movement.', 10_000),
  paid_in: t.money('The sum that the member paid in.', 10_000),
  paid_out: t.money('The sum that the member was paid.', 0),
  owes: t.money('Arrears: what the member still owes from settled rounds, when the statement was made.', 2_000),
  is_owed: t.money('The sum of arrears that others still owe to the member.', 0),
  arrears: t.list(memberArrears, 'The arrears by settled round: oldest first, at most 1 000.'),
  movements: t.list(movement, 'Oldest first.'),
  ledger_head: t.describe(
    ledgerHeadShape,
    'The last transfer of the ledger when the statement was made: an export up to it verifies every movement.',
  ),
  made_at: t.at('When the statement was made.'),
});

/** The gateway writes it as JSON, CSV or PDF. */
export const statement = chapter('Ledger')({
  name: 'treasury.statement',
  summary: "A member's statement",
  description:
    "The caller's own unless `member_id` names another member, which needs a board role. As JSON, CSV, or PDF for print, " +
    'by `Accept`; the PDF and the header of the CSV are in English or French, by `Accept-Language`. Beside the balance it ' +
    'shows the arrears, which are not in the ledger: what the member owes and is owed from settled rounds. A member who ' +
    'has left can still read their own statement. At most 10 000 movements: for more, ask for shorter periods.',
  permission: 'read_own_statement',
  refuses: ['role_not_allowed', 'not_acceptable'],
  path: t.inAssociation,
  query: {
    member_id: t.optional(t.memberId("The member whose statement it is; the caller's own if absent.")),
    from: t.optional(t.date('The first day, in UTC, not in the future; from the beginning if absent.', '2026-10-01')),
    to: t.optional(t.date('The last day, in UTC; until now if absent.', '2026-10-31')),
  },
  answer: statementShape,
});
export type Statement = t.Value<typeof statement.answer>;
