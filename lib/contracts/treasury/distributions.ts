import * as t from '../fields.ts';
import { chapter } from '../action.ts';
import { metadata } from '../metadata.ts';
import { reason } from './cash.ts';

const DISTRIBUTION_STATUSES = ['pending_approval', 'paid', 'rejected', 'failed', 'reversed'] as const;

/** The fields that the board decides on. */
const stated = {
  beneficiary_member_id: t.memberId('The member who will be paid.'),
  amount: t.money('The amount.', 25_000),
  currency: t.currencyCode(),
  reason: reason('Hospital bill'),
};

/** The payload of the approval. */
export const distributionPayload = t.record('DistributionPayload', stated);

const distribution = t.record('Distribution', {
  id: t.ownId(t.EXAMPLE.distribution_id),
  association_id: t.associationId(),
  ...stated,
  status: t.enumeration(
    DISTRIBUTION_STATUSES,
    'It is also `rejected` if the approval expired or was cancelled. The reserved funds are released unless it is ' +
      'paid. `reversed`: it was paid, and a correction took it back.',
    'pending_approval',
  ),
  approval_id: t.approvalId(),
  requested_by_member_id: t.memberId('The member who requested it.', t.EXAMPLE.treasurer_id),
  requested_at: t.at('When it was requested.'),
  payouts: t.list(t.payout, 'The payouts, once it is paid: e-money to the payout wallet first, the rest as cash.', []),
  decided_at: t.nullable(t.at('When it was decided.'), null),
  metadata,
});
export type Distribution = t.Value<typeof distribution>;

const endpoint = chapter('Treasury');

export const requestDistribution = endpoint({
  name: 'treasury.request_distribution',
  summary: 'Request a distribution from the treasury to a member',
  description: 'Reserves the funds immediately. After the decision of the board they are paid or released.',
  permission: 'request_distribution',
  refuses: ['no_eligible_approver', 'insufficient_funds'],
  path: t.inAssociation,
  body: {
    beneficiary_member_id: stated.beneficiary_member_id,
    amount: t.amount('The amount.', 25_000),
    reason: stated.reason,
    metadata,
  },
  status: 201,
  answer: distribution,
});

export const listDistributions = endpoint({
  name: 'treasury.list_distributions',
  summary: 'List distributions',
  description: 'Newest first.',
  permission: 'read',
  path: t.inAssociation,
  query: { ...t.pageQuery, status: t.optional(t.enumeration(DISTRIBUTION_STATUSES, 'Only with this status.')) },
  answer: t.pageOf(distribution),
});

export const getDistribution = endpoint({
  name: 'treasury.get_distribution',
  summary: 'Show a distribution',
  permission: 'read',
  path: { ...t.inAssociation, distribution_id: t.id('The distribution.', t.EXAMPLE.distribution_id) },
  answer: distribution,
});
