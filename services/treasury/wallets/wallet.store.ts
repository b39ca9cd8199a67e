import type { EntityManager } from 'typeorm';
import { isWalletId, walletAccount } from '../ledger/accounts.rules.ts';
import type { WalletFunding, WalletWithBalance } from './wallet.rules.ts';
import { WalletFundingEntity } from './wallet.table.ts';

const WITH_BALANCE = `
  SELECT wallets.id, wallets.user_id, wallets.currency, wallets.account_id, wallets.created_at, accounts.balance
  FROM wallets JOIN accounts USING (account_id)`;

/** Opens the user's wallet in the currency; gives the one he has if he has one, however many open it at once. */
export async function openWallet(
  manager: EntityManager,
  wanted: { id: string; user_id: string; currency: string; now: Date },
): Promise<WalletWithBalance> {
  const existing = await findWalletOf(manager, wanted.user_id, wanted.currency);
  if (existing !== undefined) return existing;
  // The foreign key from wallet to account is judged at the statement's end.
  await manager.query(
    `WITH opened AS (
       INSERT INTO wallets (id, user_id, currency, account_id, created_at)
       VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING RETURNING *
     )
     INSERT INTO accounts (account_id, name, money, currency, owner_user_id, may_go_negative, created_at)
     SELECT account_id, account_id, 'emoney', currency, user_id, false, created_at FROM opened`,
    [wanted.id, wanted.user_id, wanted.currency, walletAccount(wanted.id), wanted.now],
  );
  const wallet = await findWalletOf(manager, wanted.user_id, wanted.currency);
  if (wallet === undefined) throw new Error('A wallet vanished while it was opened');
  return wallet;
}

export async function findWallet(manager: EntityManager, wallet_id: string): Promise<WalletWithBalance | undefined> {
  if (!isWalletId(wallet_id)) return undefined;
  const [wallet]: WalletWithBalance[] = await manager.query(`${WITH_BALANCE} WHERE wallets.id = $1`, [wallet_id]);
  return wallet;
}

async function findWalletOf(
  manager: EntityManager,
  user_id: string,
  currency: string,
): Promise<WalletWithBalance | undefined> {
  const [wallet]: WalletWithBalance[] = await manager.query(
    `${WITH_BALANCE} WHERE wallets.user_id = $1 AND wallets.currency = $2`,
    [user_id, currency],
  );
  return wallet;
}

/** A user's wallets, oldest first, after the wallet `after`. */
export async function walletsOf(
  manager: EntityManager,
  user_id: string,
  after: string | null,
  limit: number,
): Promise<WalletWithBalance[]> {
  return manager.query(`${WITH_BALANCE} WHERE wallets.user_id = $1 AND wallets.id > $2 ORDER BY wallets.id LIMIT $3`, [
    user_id,
    after ?? '',
    limit,
  ]);
}

/** Stores the plan of a deposit or withdrawal, and gives it; or the one that its reference has. */
export async function planFunding(manager: EntityManager, plan: WalletFunding): Promise<WalletFunding> {
  await manager.query(
    `INSERT INTO wallet_funding (wallet_id, kind, reference, amount, transfer_id)
     VALUES ($1, $2, $3, $4, $5) ON CONFLICT (wallet_id, kind, reference) DO NOTHING`,
    [plan.wallet_id, plan.kind, plan.reference, plan.amount, plan.transfer_id],
  );
  const { wallet_id, kind, reference } = plan;
  return manager.findOneByOrFail(WalletFundingEntity, { wallet_id, kind, reference });
}

/** Frees the reference of a plan whose transfer was refused, unless it stands for another transfer by now. */
export async function dropFunding(manager: EntityManager, plan: WalletFunding): Promise<void> {
  const { wallet_id, kind, reference, transfer_id } = plan;
  await manager.delete(WalletFundingEntity, { wallet_id, kind, reference, transfer_id });
}
