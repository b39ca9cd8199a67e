/** The services of the bare gateway: the calls of a contribution, with messages as large as the real ones. */
import type { Context, ServiceSchema } from 'moleculer';
import { DEFAULT_RULES } from '../../lib/contracts/membership.ts';

const ID = '019aa5c0-7b1e-7cc3-98a4-6f1f8d3a2b10';

const AUTHORIZATION = {
  terms: {
    association_id: ID,
    name: 'Njangi of the market',
    type: 'tontine',
    status: 'active',
    currency: 'XAF',
    contribution_amount_minor: 1000,
    contribution_frequency: 'monthly',
    rules_version: 1,
    rules: DEFAULT_RULES,
  },
  member: {
    member_id: ID,
    user_id: 'g12345-1-31',
    display_name: 'Member 31',
    role: 'member',
    status: 'active',
    hands: 1,
    payout_wallet_id: ID,
    joined_at: '2026-11-21T03:00:00.123Z',
  },
  amount_minor: 1,
  members: [],
};

const TRANSFER = {
  id: ID,
  seq: 12_345,
  association_id: ID,
  kind: 'contribution',
  legs: [
    { account: `wallet:${ID}`, amount_minor: -1 },
    { account: `pool:${ID}`, amount_minor: 1 },
  ],
  currency: 'XAF',
  reference: null,
  posted_at: '2026-11-21T03:00:00.123Z',
  prev_hash: '5f1c'.repeat(16),
  hash: '9b77'.repeat(16),
};

const CONTRIBUTION = {
  id: ID,
  association_id: ID,
  meeting_id: ID,
  member_id: ID,
  paid_by_member_id: ID,
  wallet_id: ID,
  amount: 1,
  currency: 'XAF',
  method: 'wallet',
  status: 'paid',
  outstanding: 0,
  transfer_id: ID,
  paid_at: '2026-11-21T03:00:00.123Z',
};

interface Body {
  association_id: string;
  meeting_id: string;
  wallet_id: string;
  amount: number;
  pin: string;
}

/** Replaces contribution. */
export const hopA: ServiceSchema = {
  name: 'a',
  actions: {
    async contribute(ctx: Context<Body>) {
      const { association_id, meeting_id, wallet_id, amount, pin } = ctx.params;
      const user_id = 'g12345-1-31';
      const { member }: typeof AUTHORIZATION = await ctx.call('b.authorize', {
        association_id,
        user_id,
        permission: 'contribute',
        pin,
        amount,
      });
      await ctx.call('c.transfer', {
        id: CONTRIBUTION.id,
        association_id,
        kind: 'contribution',
        currency: 'XAF',
        legs: TRANSFER.legs,
        reference: null,
        payer_user_id: user_id,
        member_id: member.member_id,
      });
      return { ...CONTRIBUTION, association_id, meeting_id, wallet_id };
    },
  },
};

/** Replaces membership. */
export const hopB: ServiceSchema = { name: 'b', actions: { authorize: () => AUTHORIZATION } };

/** Replaces the treasury. */
export const hopC: ServiceSchema = { name: 'c', actions: { transfer: () => TRANSFER } };
