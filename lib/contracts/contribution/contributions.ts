/** Contributions to meetings, and the dues of members. */
import * as t from '../fields.ts';
import { exampleOfFields } from '../../schema/examples.ts';
import { chapter, command } from '../action.ts';
import { metadata } from '../metadata.ts';

/** Contributions that were refused immediately are not listed. */
export const CONTRIBUTION_STATUSES = ['pending', 'paid', 'failed', 'reversed'] as const;

/** What a member owes for a meeting. */
export const dueAmounts = {
  due: t.money('What the member owes for this meeting: their hands times the contribution amount.', 10_000),
  paid: t.money('The part that was paid, by the member or for them.', 4_000),
  outstanding: t.money('`due` minus `paid`.', 6_000),
};

const due = t.record('Due', {
  member_id: t.memberId('The member who owes it.'),
  ...dueAmounts,
  arrears: t.money('After the meeting is settled: what the member still owes to its beneficiaries.', 0),
});
export type Due = t.Value<typeof due>;

const contributionFields = {
  id: t.ownId(t.EXAMPLE.contribution_id),
  association_id: t.associationId(),
  meeting_id: t.meetingId(),
  member_id: t.memberId('The member it was paid for.'),
  paid_by_member_id: t.memberId('The member who paid.'),
  wallet_id: t.nullable(t.walletId('The wallet that the contribution was paid from; null for cash.')),
  amount: t.money('The amount.', 10_000),
  currency: t.currencyCode(),
  method: t.paymentMethod(),
  status: t.enumeration(
    CONTRIBUTION_STATUSES,
    '`pending` while the outcome is unknown or cash is not approved. `reversed`: it was paid, and a correction took it back.',
    'paid',
  ),
  outstanding: t.money(
    'What the member still owes for this meeting once this contribution is paid; their arrears if the meeting is ' +
      'settled.',
    0,
  ),
  transfer_id: t.nullable(t.transferId('The transfer in the ledger; null until it is paid.')),
  paid_at: t.nullable(t.at('When it was paid; null until then.')),
  metadata,
};
const contribution = t.record('Contribution', contributionFields);
export type Contribution = t.Value<typeof contribution>;

const endpoint = chapter('Contributions');

export const listDues = endpoint({
  name: 'contribution.list_dues',
  summary: 'List what each member owes for a meeting',
  description:
    'In join order. Members owe nothing for a meeting outside a cycle: its list contains the members who paid.',
  permission: 'read',
  path: t.inMeeting,
  query: { ...t.pageQuery, member_id: t.optional(t.memberId('Only of this member.')) },
  answer: t.pageOf(due),
});

export const listContributions = endpoint({
  name: 'contribution.list_contributions',
  summary: 'List the contributions to a meeting',
  description: 'Newest first. Contributions that were refused immediately are not listed.',
  permission: 'read',
  path: t.inMeeting,
  query: t.pageQuery,
  answer: t.pageOf(contribution),
});

export const getContribution = endpoint({
  name: 'contribution.get_contribution',
  summary: 'Show a contribution',
  permission: 'read',
  path: { ...t.inMeeting, contribution_id: t.id('The contribution.', t.EXAMPLE.contribution_id) },
  answer: contribution,
});

export const contribute = endpoint({
  name: 'contribution.contribute',
  summary: 'Contribute to a meeting from a wallet',
  description:
    "Pays from one of the caller's own wallets, for the caller or for another member. In a cycle the limit is the " +
    'outstanding due, which may be paid in parts or in advance; outside a cycle there is no limit. For a settled ' +
    'round the limit is the arrears, which are paid directly to the members who are owed them. 202 while the outcome ' +
    'is unknown: the contribution then becomes `paid` or `failed`, never both, and money moves at most once.',
  permission: 'contribute',
  refuses: [
    'meeting_not_open',
    'contribution_exceeds_due',
    'wallet_currency_mismatch',
    'insufficient_funds',
    'balance_limit_exceeded',
  ],
  path: t.inMeeting,
  body: {
    wallet_id: t.walletId("One of the caller's own wallets."),
    amount: t.amount('The amount.', 10_000),
    pin: t.sealedPin(),
    for_member_id: t.optional(t.memberId('The member it is paid for. The default is the caller.')),
    metadata,
  },
  status: 201,
  answer: contribution,
  examples: {
    accepted: exampleOfFields(contributionFields, 'answer', { status: 'pending', transfer_id: null, paid_at: null }),
  },
});

/**
 * Reserves a member's due for cash that the board has not confirmed yet, as a pending contribution with the method
 * `cash`. Executed once per id. Refuses with not_found, meeting_not_open, contribution_exceeds_due.
 */
export const takeCash = command({
  name: 'contribution.take_cash',
  input: {
    ...t.inMeeting,
    contribution_id: t.id(),
    member_id: t.id(),
    amount_minor: t.minor(),
    currency: t.currency(),
    metadata,
  },
  answer: t.object({ ok: t.boolean() }),
});

/** Reports whether the board confirmed such cash. Confirmed cash is in the pool, by the transfer with the same id. */
export const decideCash = command({
  name: 'contribution.decide_cash',
  input: {
    ...t.inAssociation,
    contribution_id: t.id(),
    paid: t.boolean(),
    code: t.nullable(t.text(1, t.ERROR_CODE_MAX_LENGTH)),
  },
  answer: t.object({ ok: t.boolean() }),
});
