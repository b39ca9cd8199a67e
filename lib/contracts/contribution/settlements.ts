import * as t from '../fields.ts';
import { exampleOfFields } from '../../schema/examples.ts';
import { poolAccount, walletAccount } from '../accounts.ts';
import { always, chapter, command } from '../action.ts';
import { leg } from '../treasury/ledger.ts';
import { rulesVersion } from './cycles.ts';

/** Error codes are far shorter. */
const CODE_MAX_LENGTH = 64;

const claim = t.record('Claim', {
  member_id: t.memberId('The member who is owed it.', t.EXAMPLE.president_id),
  amount: t.money('The part that is owed to them.', 10_000),
});

const arrear = t.record('Arrear', {
  member_id: t.memberId('The member who owes it.'),
  amount: t.money('The amount.', 10_000),
  owed_to: t.list(claim, 'In rotation order, which is also the order of payment.'),
});

const totals = {
  collected_amount: t.money('What was paid for the meeting.', 40_000),
  expected_amount: t.money('What all members together owed for it.', 40_000),
  shortfall_amount: t.money('What was missing.', 0),
};
const toTreasury = {
  to_treasury_amount: t.money(
    'What goes to the treasury. It is negative at the end of a savings cycle, when the savings of earlier rounds are ' +
      'returned.',
    0,
  ),
};
const arrears = {
  arrears: t.list(arrear, 'New arrears: what members did not pay and now owe to the beneficiaries.', []),
};

const settlementPreview = t.record('SettlementPreview', {
  meeting_id: t.meetingId(),
  ...totals,
  payouts: t.list(t.record('PlannedPayout', t.payoutFields), 'As in the settlement, but without the transfer.'),
  ...toTreasury,
  ...arrears,
  legs: t.list(leg, 'The legs of the ledger transfer, in minor units.', [
    { account: poolAccount(t.EXAMPLE.meeting_id), amount_minor: -40_000 },
    { account: walletAccount(t.EXAMPLE.president_wallet_id), amount_minor: 40_000 },
  ]),
  rules_version: rulesVersion(),
  refused_for: t.nullable(
    t.opaque(CODE_MAX_LENGTH, 'The error code with which `settle` would be refused now; null if it would succeed.'),
    null,
  ),
  preview_hash: t.sha256('For the `preview_hash` of `settle`.'),
});
export type SettlementPreview = t.Value<typeof settlementPreview>;

const settlementFields = {
  id: t.ownId(t.EXAMPLE.settlement_id),
  meeting_id: t.meetingId(),
  status: t.enumeration(['pending', 'settled'], '`pending` while the outcome is unknown.', 'settled'),
  ...totals,
  payouts: t.list(t.payout, 'In rotation order; e-money first, then cash.'),
  ...toTreasury,
  ...arrears,
  rules_version: rulesVersion(),
  settled_by_member_id: t.memberId('The member who settled it.', t.EXAMPLE.treasurer_id),
  settled_at: t.nullable(t.at('When it was settled.')),
};
const settlement = t.record('Settlement', settlementFields);
export type Settlement = t.Value<typeof settlement>;

const endpoint = chapter('Settlement');

export const previewSettlement = endpoint({
  name: 'contribution.preview_settlement',
  summary: 'Preview what settling would do now',
  description:
    'If you send its `preview_hash` with `settle`, the meeting is settled exactly like this, or the request is ' +
    'refused.',
  permission: 'read',
  refuses: ['meeting_not_open'],
  path: t.inMeeting,
  answer: settlementPreview,
});

export const settle = endpoint({
  name: 'contribution.settle',
  summary: 'Settle a meeting',
  description:
    'Closes the meeting and pays out the money collected, in one transfer. Rounds are settled in order. Before its ' +
    'day a round can be settled only if every due is paid. Settling waits a moment for contributions in flight. 202 ' +
    'while the outcome is unknown: the meeting then becomes `settled`, or `open` again.',
  permission: 'settle',
  refuses: [
    'meeting_not_open',
    'earlier_round_open',
    'contributions_in_flight',
    'settlement_changed',
    'meeting_not_due',
    'meeting_underfunded',
    'balance_limit_exceeded',
  ],
  path: t.inMeeting,
  body: {
    preview_hash: t.optional(
      t.opaque(t.HEX_256_LENGTH, 'The hash of the preview that the settlement must match.', t.EXAMPLE_HASH),
    ),
  },
  answer: settlement,
  examples: { accepted: exampleOfFields(settlementFields, 'answer', { status: 'pending', settled_at: null }) },
});

export const getSettlement = endpoint({
  name: 'contribution.get_settlement',
  summary: 'Show the settlement of a meeting',
  permission: 'read',
  path: t.inMeeting,
  answer: settlement,
});

/** Far more rounds than an association has. */
const SETTLEMENTS_MAX = 100_000;

/**
 * Reads by how much these transfers together have changed the savings in the treasury, which stores only their sum.
 * Transfers that are no settlements of the association count as 0.
 */
export const savingsOfTransfers = command({
  name: 'contribution.savings_of_transfers',
  reads: always,
  input: { ...t.inAssociation, transfer_ids: t.boundedList(t.id(), 0, SETTLEMENTS_MAX) },
  answer: t.object({ emoney_minor: t.minor(), cash_minor: t.minor() }),
});
