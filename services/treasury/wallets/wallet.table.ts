import { EntitySchema } from 'typeorm';
import type { Wallet, WalletFunding } from './wallet.rules.ts';

export const WalletEntity = new EntitySchema<Wallet>({
  name: 'wallet',
  tableName: 'wallets',
  columns: {
    id: { type: 'text', primary: true },
    user_id: { type: 'text' },
    currency: { type: 'char', length: 3 },
    account_id: { type: 'text' },
    created_at: { type: 'timestamptz' },
  },
});

export const WalletFundingEntity = new EntitySchema<WalletFunding>({
  name: 'wallet_funding',
  tableName: 'wallet_funding',
  columns: {
    wallet_id: { type: 'text', primary: true },
    kind: { type: 'text', primary: true },
    reference: { type: 'text', primary: true },
    amount: { type: 'bigint' },
    transfer_id: { type: 'uuid' },
  },
});
