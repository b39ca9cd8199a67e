import * as t from '../../schema/fields.ts';
import { EXAMPLE, memberId, transferId, walletId } from '../ids.ts';

export const PAYOUT_METHODS = ['wallet', 'cash'] as const;

export const payoutMethod = () => t.enumeration(PAYOUT_METHODS, '`wallet`: e-money. `cash`: cash.', 'wallet');

/** A payout before its transfer is posted. */
export const payoutFields = {
  member_id: memberId('The member who is paid.', EXAMPLE.president_id),
  wallet_id: t.nullable(walletId('The wallet that receives it; null for cash.', EXAMPLE.president_wallet_id)),
  method: payoutMethod(),
  amount: t.money('The amount.', 40_000),
};

export const payout = t.record('Payout', { ...payoutFields, transfer_id: transferId() });
export type Payout = t.Value<typeof payout>;
