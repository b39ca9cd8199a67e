/** Fines: claims of the association on its members. Payments of them go into the treasury. */
import * as t from '../fields.ts';
import { exampleOfFields } from '../../schema/examples.ts';
import { always, chapter, command } from '../action.ts';
import { fineCode } from '../membership/fine-rules.ts';
import { REASON_MAX_CODE_POINTS } from '../treasury/ledger.ts';
import { rulesVersion } from './cycles.ts';

export const FINE_STATUSES = ['due', 'paid', 'waived'] as const;

const fineReason = () => t.text(1, REASON_MAX_CODE_POINTS, 'Why, for people.', 'A telephone rang');

const fineFields = {
  id: t.ownId(t.EXAMPLE.fine_id),
  association_id: t.associationId(),
  member_id: t.memberId('The member who owes it.'),
  code: fineCode(),
  meeting_id: t.nullable(t.meetingId('The meeting that it is for; null if it is for none.')),
  period: t.integer(1, t.UNBOUNDED, 'Counts the fines of a rule that repeats, for one member and meeting.', 1),
  reason: t.nullable(fineReason(), null),
  amount: t.money('The amount.', 500),
  paid: t.money('The part that was paid, by the member or for them.', 200),
  outstanding: t.money('What is left to pay; 0 once it is waived.', 300),
  currency: t.currencyCode(),
  status: t.enumeration(FINE_STATUSES, '`waived`: the board has decided that the rest need not be paid.', 'due'),
  rules_version: rulesVersion(),
  assessed_at: t.at('When it was assessed.'),
};
const fine = t.record('Fine', fineFields);
export type Fine = t.Value<typeof fine>;

const paymentFields = {
  ...fineFields,
  transfer_id: t.nullable(t.transferId('The transfer of this payment; null while its outcome is unknown.')),
};
const finePayment = t.record('PaidFine', paymentFields);
export type PaidFine = t.Value<typeof finePayment>;

const endpoint = chapter('Fines');
const inFine = { ...t.inAssociation, fine_id: t.fineId() };

export const listFines = endpoint({
  name: 'contribution.list_fines',
  summary: 'List fines',
  description: 'Newest first.',
  permission: 'read',
  path: t.inAssociation,
  query: {
    ...t.pageQuery,
    member_id: t.optional(t.memberId('Only of this member.')),
    status: t.optional(t.enumeration(FINE_STATUSES, 'Only with this status.', 'due')),
    meeting_id: t.optional(t.meetingId('Only for this meeting.')),
  },
  answer: t.pageOf(fine),
});

export const getFine = endpoint({
  name: 'contribution.get_fine',
  summary: 'Show a fine',
  permission: 'read',
  path: inFine,
  answer: fine,
});

export const assessFine = endpoint({
  name: 'contribution.assess_fine',
  summary: 'Fine a member by a manual rule',
  description:
    'For rules with the trigger `manual`. The other fines are assessed by the service: late payments by the clock, ' +
    'absence and lateness at the settlement. The fine is a claim: no money moves until it is paid.',
  permission: 'assess_fine',
  refuses: ['own_request', 'fine_exists', 'amount_precision'],
  path: t.inAssociation,
  body: {
    member_id: t.memberId('The member who is fined, not the caller.'),
    code: fineCode(),
    reason: fineReason(),
    meeting_id: t.optional(t.meetingId('The meeting that it is for.')),
    amount: t.optional(t.amount('The amount. The default is that of the rule.', 500)),
  },
  status: 201,
  answer: fine,
  examples: {
    body: { member_id: t.EXAMPLE.member_id, code: 'telephone', reason: 'A telephone rang' },
    answer: exampleOfFields(fineFields, 'answer', {
      code: 'telephone',
      meeting_id: null,
      reason: 'A telephone rang',
      paid: 0,
      outstanding: 500,
    }),
  },
});

export const payFine = endpoint({
  name: 'contribution.pay_fine',
  summary: 'Pay a fine from a wallet',
  description:
    "Pays into the treasury from one of the caller's own wallets, for the caller or for another member, all or a part. 202 " +
    'while the outcome is unknown: the fine then shows it.',
  permission: 'contribute',
  refuses: [
    'fine_not_due',
    'fine_exceeded',
    'wallet_currency_mismatch',
    'insufficient_funds',
    'balance_limit_exceeded',
  ],
  path: inFine,
  body: {
    wallet_id: t.walletId("One of the caller's own wallets."),
    amount: t.amount('The amount.', 200),
    pin: t.sealedPin(),
  },
  status: 201,
  answer: finePayment,
  examples: { accepted: exampleOfFields(paymentFields, 'answer', { paid: 0, outstanding: 500, transfer_id: null }) },
});

/** Returns the member of a fine that can be waived. Refuses with not_found, fine_not_due. */
export const checkFine = command({
  name: 'contribution.check_fine',
  reads: always,
  input: inFine,
  answer: t.object({ member_id: t.id() }),
});
