import * as t from '../fields.ts';
import { chapter } from '../action.ts';
import { associationName } from '../membership/associations.ts';
import { fineCode } from '../membership/fine-rules.ts';
import { displayName } from '../membership/members.ts';
import {
  ledgerHeadShape,
  postedAt,
  REASON_MAX_CODE_POINTS,
  REFERENCE,
  reference,
  seq,
  transferKind,
} from './ledger.ts';

/** About 4 MB of JSON. A longer statement must be requested in shorter periods. */
export const STATEMENT_MAX_MOVEMENTS = 10_000;

const memberArrears = t.record('MemberArrears', {
  meeting: t.describe(t.meetingReference, 'The settled round.'),
  owes: t.money('What the member still owes from it.', 2_000),
  is_owed: t.money('What the member is still owed from it.', 0),
  since: t.at('When the round was settled.'),
});

const memberFine = t.record('MemberFine', {
  fine_id: t.fineId(),
  code: fineCode(),
  reason: t.nullable(t.text(1, REASON_MAX_CODE_POINTS, 'Why; null if the service assessed it.'), null),
  meeting: t.nullable(t.describe(t.meetingReference, 'The meeting that it is for; null if it is for none.')),
  outstanding: t.money('What is left to pay.', 300),
  assessed_at: t.at('When it was assessed.'),
});

const movement = t.record('Movement', {
  transfer_id: t.transferId(),
  seq: seq('The place of the transfer in the chain.'),
  kind: transferKind(),
  posted_at: postedAt(),
  method: t.paymentMethod(),
  amount: t.money('Positive if the member paid it in, negative if it was paid out to them.', 10_000),
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
  time_zone: t.timeZone('The time zone of its days.', 'Africa/Douala'),
  from: t.nullable(t.date('The first day; null for the beginning.', '2026-10-01')),
  to: t.nullable(t.date('The last day; null for now.', '2026-10-31')),
  opening_balance: t.money('What the member had paid in minus what they had been paid, before the first movement.', 0),
  closing_balance: t.money('The balance after the last movement.', 10_000),
  paid_in: t.money('The sum that the member paid in.', 10_000),
  paid_out: t.money('The sum that the member was paid.', 0),
  owes: t.money('The arrears of the member from settled rounds, when the statement was made.', 2_000),
  is_owed: t.money('The arrears that others owe to the member.', 0),
  arrears: t.list(memberArrears, 'The arrears by settled round, oldest first, at most 1 000.'),
  fines_outstanding: t.money('What the member owes in fines, when the statement was made.', 300),
  fines: t.list(memberFine, 'The fines that are due, oldest first, at most 1 000.'),
  movements: t.list(movement, 'Oldest first.'),
  ledger_head: t.describe(
    ledgerHeadShape,
    'The last transfer of the ledger when the statement was made. An export up to it verifies every movement.',
  ),
  made_at: t.at('When the statement was made.'),
});

/** Reads a statement, which the gateway writes as JSON, CSV or PDF. */
export const statement = chapter('Ledger')({
  name: 'treasury.statement',
  summary: "A member's statement",
  description:
    "The caller's own statement, unless `member_id` names another member, which requires a board role. The format is " +
    'JSON, CSV or PDF, by `Accept`; the PDF and the header of the CSV are in English or French, by ' +
    '`Accept-Language`. Besides the balance the statement shows what is not in the ledger: what the ' +
    'member owes and is owed from settled rounds, and the fines that they owe. Days are in the time zone of the ' +
    'association. A member who has left can still read their own statement. It has at most 10 000 movements; for more, ' +
    'request shorter periods.',
  permission: 'read_own_statement',
  refuses: ['role_not_allowed', 'not_acceptable'],
  path: t.inAssociation,
  query: {
    member_id: t.optional(t.memberId('The member whose statement it is. The default is the caller.')),
    from: t.optional(t.date('The first day, not in the future. The default is the beginning.', '2026-10-01')),
    to: t.optional(t.date('The last day. The default is now.', '2026-10-31')),
  },
  answer: statementShape,
});
export type Statement = t.Value<typeof statement.answer>;
