/** What contribution shows: cycles, meetings, dues, contributions, settlements. */
import {
  date,
  described,
  enumeration,
  integer,
  list,
  money,
  named,
  nullable,
  object,
  opaque,
  text,
} from '../../schema/fields.ts';
import type { Value, Values } from '../../schema/fields.ts';
import { currencyCode, rules } from '../membership/associations.ts';
import {
  associationId,
  at,
  cycleId,
  EXAMPLE,
  EXAMPLE_HASH,
  HEX_256_LENGTH,
  meetingId,
  memberId,
  ownId,
  ROTATION_MAX_HANDS,
  sha256,
  TITLE_MAX_CODE_POINTS,
  transferId,
  walletId,
} from '../ids.ts';
import { leg, payout, payoutMethod } from '../treasury/ledger.ts';

export const ROTATION_ORDERS = ['join', 'draw', 'manual'] as const;
export const CYCLE_STATUSES = ['running', 'completed'] as const;
export const MEETING_STATUSES = ['open', 'settling', 'settled', 'cancelled'] as const;
/** What a client sees; a contribution refused at once is not listed. */
export const CONTRIBUTION_STATUSES = ['pending', 'paid', 'failed'] as const;

/** Error codes are far shorter. */
const CODE_MAX_LENGTH = 64;

const rulesVersion = () =>
  described(integer(1, Number.MAX_SAFE_INTEGER), 'The version of the rules that it goes by.', 1);
const round = () => described(integer(1, ROTATION_MAX_HANDS), 'Counted from 1.', 1);

export const cycle = named(
  'Cycle',
  object({
    id: ownId(EXAMPLE.cycle_id),
    association_id: associationId(),
    number: described(integer(1, Number.MAX_SAFE_INTEGER), 'Counted from 1 in each association.', 1),
    status: described(enumeration(CYCLE_STATUSES), 'It completes when its last round is settled.', 'running'),
    order: nullable(
      described(enumeration(ROTATION_ORDERS), 'How the turns were found; null for savings, which have none.', 'draw'),
    ),
    seed: nullable(
      described(
        opaque(HEX_256_LENGTH),
        'Of a draw: 256 random bits in hex, made after the members were pinned; the order follows from it.',
        EXAMPLE_HASH,
      ),
    ),
    starts_on: described(date(), 'The day of the first round.', '2026-10-05'),
    contribution_amount: described(money(), 'What each hand owes at each round.', 10_000),
    rules: described(rules, "`shortfall` is judged by the association's present rules, all else by these."),
    rules_version: rulesVersion(),
    hands: described(
      list(
        named(
          'Hand',
          object({
            position: described(integer(1, ROTATION_MAX_HANDS), 'Its place in the rotation.', 1),
            member_id: memberId('Whose hand it is.', EXAMPLE.president_id),
            round: described(integer(1, ROTATION_MAX_HANDS), 'The round at which it has its turn.', 1),
          }),
        ),
      ),
      'The rotation; empty for savings.',
    ),
    rounds: described(integer(1, ROTATION_MAX_HANDS), 'How many meetings it has.', 4),
    created_at: at('When it was started.', '2026-10-04T17:02:11.004Z'),
  }),
);
export type Cycle = Value<typeof cycle>;

const meetingFields = {
  id: ownId(EXAMPLE.meeting_id),
  association_id: associationId(),
  cycle_id: nullable(cycleId('Its cycle; null outside one.')),
  round: nullable(round()),
  title: nullable(described(text(1, TITLE_MAX_CODE_POINTS), 'For people.')),
  due_on: described(date(), 'Its day.', '2026-10-05'),
  status: described(
    enumeration(MEETING_STATUSES),
    '`settling` while it is being settled or cancelled: no contributions then.',
    'open',
  ),
  expected_amount: described(money(), 'What all owe together; 0 outside a cycle.', 40_000),
  collected_amount: described(money(), 'What has come in.', 30_000),
  beneficiaries: described(
    list(
      named(
        'Beneficiary',
        object({
          member_id: memberId('Whose turn it is.', EXAMPLE.president_id),
          hands: described(integer(1, ROTATION_MAX_HANDS), 'With how many hands.', 1),
        }),
      ),
    ),
    'Whose turn it is, in rotation order; empty where nobody has turns.',
  ),
  settled_at: described(nullable(at('')), 'When it was settled.', null),
};

const EXAMPLE_MEETING: Values<typeof meetingFields> = {
  id: EXAMPLE.meeting_id,
  association_id: EXAMPLE.association_id,
  cycle_id: EXAMPLE.cycle_id,
  round: 1,
  title: null,
  due_on: '2026-10-05',
  status: 'open',
  expected_amount: 40_000,
  collected_amount: 30_000,
  beneficiaries: [{ member_id: EXAMPLE.president_id, hands: 1 }],
  settled_at: null,
};

/** A meeting outside a cycle. */
export const EXAMPLE_KITTY: Values<typeof meetingFields> = {
  ...EXAMPLE_MEETING,
  cycle_id: null,
  round: null,
  title: 'Kitty of October',
  expected_amount: 0,
  collected_amount: 0,
  beneficiaries: [],
};

export const meeting = described(named('Meeting', object(meetingFields)), 'A meeting (session).', EXAMPLE_MEETING);
export type Meeting = Value<typeof meeting>;

export const due = named(
  'Due',
  object({
    member_id: memberId('Who owes.'),
    due: described(money(), 'What he owes for this meeting: his hands times the amount.', 10_000),
    paid: described(money(), 'What was paid for it, by whomever.', 4_000),
    outstanding: described(money(), '`due` less `paid`.', 6_000),
    arrears: described(money(), 'Of a settled meeting: what he still owes to those whose turn it was.', 0),
  }),
);
export type Due = Value<typeof due>;

const contributionFields = {
  id: ownId(EXAMPLE.contribution_id),
  association_id: associationId(),
  meeting_id: meetingId(),
  member_id: memberId('Whose due it pays.'),
  paid_by_member_id: memberId('Who paid.'),
  wallet_id: nullable(walletId('From which wallet; null for cash.')),
  amount: described(money(), 'How much.', 10_000),
  currency: currencyCode('ISO 4217.'),
  method: payoutMethod(),
  status: described(
    enumeration(CONTRIBUTION_STATUSES),
    '`pending` while the outcome is not known yet, or cash is not approved yet.',
    'paid',
  ),
  outstanding: described(
    money(),
    'What the member still owes for this meeting once this contribution counts; of a settled one, his arrears.',
    0,
  ),
  transfer_id: nullable(transferId("The ledger's transfer, once it is paid.")),
  paid_at: nullable(at('When it was paid.')),
};

/** What is known of a contribution while its outcome is not. */
export const EXAMPLE_PENDING_CONTRIBUTION: Values<typeof contributionFields> = {
  id: EXAMPLE.contribution_id,
  association_id: EXAMPLE.association_id,
  meeting_id: EXAMPLE.meeting_id,
  member_id: EXAMPLE.member_id,
  paid_by_member_id: EXAMPLE.member_id,
  wallet_id: EXAMPLE.wallet_id,
  amount: 10_000,
  currency: 'XAF',
  method: 'wallet',
  status: 'pending',
  outstanding: 0,
  transfer_id: null,
  paid_at: null,
};

export const contribution = named('Contribution', object(contributionFields));
export type Contribution = Value<typeof contribution>;

const arrear = named(
  'Arrear',
  object({
    member_id: memberId('Who owes.'),
    amount: described(money(), 'How much.', 10_000),
    owed_to: described(
      list(
        named(
          'Claim',
          object({
            member_id: memberId('To whom.', EXAMPLE.president_id),
            amount: described(money(), 'How much of it.', 10_000),
          }),
        ),
      ),
      'In rotation order: that is how they are paid off.',
    ),
  }),
);

const settled = {
  collected_amount: described(money(), 'What came in.', 40_000),
  expected_amount: described(money(), 'What all owed together.', 40_000),
  shortfall_amount: described(money(), 'What was missing.', 0),
};
const toTreasury = () =>
  described(
    money(),
    'What goes to the treasury. Below zero where a cycle of savings ends: what earlier rounds brought there comes back.',
    0,
  );
const arrears = () => described(list(arrear), 'What is owed from now on.', []);

export const settlementPreview = named(
  'SettlementPreview',
  object({
    meeting_id: meetingId(),
    ...settled,
    payouts: described(
      list(
        named(
          'PlannedPayout',
          object({
            member_id: memberId('Who is paid.', EXAMPLE.president_id),
            wallet_id: nullable(walletId('Into which wallet; null for cash.', EXAMPLE.president_wallet_id)),
            method: payoutMethod(),
            amount: described(money(), 'How much.', 40_000),
          }),
        ),
      ),
      "The settlement's payouts, before there is a transfer.",
    ),
    to_treasury_amount: toTreasury(),
    arrears: arrears(),
    legs: described(list(leg), "The ledger transfer's legs, in minor units.", [
      { account: `pool:${EXAMPLE.meeting_id}`, amount_minor: -40_000 },
      { account: `wallet:${EXAMPLE.president_wallet_id}`, amount_minor: 40_000 },
    ]),
    rules_version: rulesVersion(),
    refused_for: described(
      nullable(opaque(CODE_MAX_LENGTH)),
      'The error code with which settling would be refused now; null if it would not.',
      null,
    ),
    preview_hash: sha256('What to send with `settle`.'),
  }),
);
export type SettlementPreview = Value<typeof settlementPreview>;

const settlementFields = {
  id: ownId(EXAMPLE.settlement_id),
  meeting_id: meetingId(),
  status: described(enumeration(['pending', 'settled']), '`pending` while its outcome is not known yet.', 'settled'),
  ...settled,
  payouts: described(list(payout), 'In rotation order, wallet money first, then cash.'),
  to_treasury_amount: toTreasury(),
  arrears: arrears(),
  rules_version: rulesVersion(),
  settled_by_member_id: memberId('Who settled it.', EXAMPLE.treasurer_id),
  settled_at: nullable(at('When it was settled.')),
};

/** What is known of a settlement while its outcome is not. */
export const EXAMPLE_PENDING_SETTLEMENT: Values<typeof settlementFields> = {
  id: EXAMPLE.settlement_id,
  meeting_id: EXAMPLE.meeting_id,
  status: 'pending',
  collected_amount: 40_000,
  expected_amount: 40_000,
  shortfall_amount: 0,
  payouts: [
    {
      member_id: EXAMPLE.president_id,
      wallet_id: EXAMPLE.president_wallet_id,
      method: 'wallet',
      amount: 40_000,
      transfer_id: EXAMPLE.transfer_id,
    },
  ],
  to_treasury_amount: 0,
  arrears: [],
  rules_version: 1,
  settled_by_member_id: EXAMPLE.treasurer_id,
  settled_at: null,
};

export const settlement = named('Settlement', object(settlementFields));
export type Settlement = Value<typeof settlement>;
