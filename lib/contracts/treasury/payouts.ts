import { enumeration, money, nullable, record } from '../../schema/fields.ts';
import type { Value } from '../../schema/fields.ts';
import { EXAMPLE, memberId, transferId, walletId } from '../ids.ts';

export const PAYOUT_METHODS = ['wallet', 'cash'] as const;

export const payoutMethod = () => enumeration(PAYOUT_METHODS, '`wallet`: e-money. `cash`: cash.', 'wallet');

/** A payout before its transfer is posted. */
export const payoutFields = {
  member_id: memberId('The member who is paid.', EXAMPLE.president_id),
  wallet_id: nullable(walletId('The wallet that receives it; null for cash.', EXAMPLE.president_wallet_id)),
  method: payoutMethod(),
  amount: money('The amount.', 40_000),
};

export const payout = record('Payout', { ...payoutFields, transfer_id: transferId() });
export type Payout = Value<typeof payout>;
