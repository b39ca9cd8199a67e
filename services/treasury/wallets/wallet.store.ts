import { walletAccount } from '../../../lib/contracts/accounts.ts';
import type { Db } from '../../../lib/db/db.ts';
import { isId } from '../../../lib/schema/rules.ts';
import { walletFunding, type Wallet, type WalletFunding } from './wallet.table.ts';

const WITH_BALANCE = `
  SELECT wallets.id, wallets.user_id, wallets.currency, wallets.account_id, wallets.created_at, accounts.balance
  FROM wallets JOIN accounts USING (account_id)`;

/**
 * Returns the user's wallet in the currency, and opens it if they have none. Concurrent calls return the same wallet.
 */
export async function findOrOpenWallet(
  db: Db,
  wanted: { id: string; user_id: string; currency: string; now: Date },
): Promise<Wallet> {
  const existing = await findWalletOf(db, wanted.user_id, wanted.currency);
  if (existing !== undefined) return existing;
  // The wallet may be inserted before its account, because PostgreSQL checks the foreign key at the end of the
  // statement.
  await db.run(
    `WITH opened AS (
       INSERT INTO wallets (id, user_id, currency, account_id, created_at)
       VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING RETURNING *
     )
     INSERT INTO accounts (account_id, name, money, currency, owner_user_id, may_go_negative, created_at)
     SELECT account_id, account_id, 'emoney', currency, user_id, false, created_at FROM opened`,
    [wanted.id, wanted.user_id, wanted.currency, walletAccount(wanted.id), wanted.now],
  );
  const wallet = await findWalletOf(db, wanted.user_id, wanted.currency);
  if (wallet === undefined) throw new Error('A wallet was not found after it was opened');
  return wallet;
}

/** Finds a wallet. An id that is not well-formed finds none. */
export async function findWallet(db: Db, wallet_id: string): Promise<Wallet | undefined> {
  if (!isId(wallet_id)) return undefined;
  return db.first(`${WITH_BALANCE} WHERE wallets.id = $1`, [wallet_id]);
}

function findWalletOf(db: Db, user_id: string, currency: string): Promise<Wallet | undefined> {
  return db.first(`${WITH_BALANCE} WHERE wallets.user_id = $1 AND wallets.currency = $2`, [user_id, currency]);
}

const WALLETS_OF = {
  name: 'treasury.wallets_of_user',
  text: `${WITH_BALANCE} WHERE wallets.user_id = $1 AND wallets.id > $2 ORDER BY wallets.id LIMIT $3`,
};

/** Lists a user's wallets, the oldest first, after the wallet `after`. */
export function listWalletsOf(db: Db, user_id: string, after: string | null, limit: number): Promise<Wallet[]> {
  return db.rows(WALLETS_OF, [user_id, after ?? '', limit]);
}

/**
 * Stores the plan of a deposit or withdrawal, unless its reference already has a plan.
 * @returns the plan that is stored under the reference
 */
export async function planFunding(db: Db, plan: WalletFunding): Promise<WalletFunding> {
  const { wallet_id, kind, reference, metadata } = plan;
  await db.run(
    `INSERT INTO wallet_funding (wallet_id, kind, reference, amount, transfer_id, metadata)
     VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (wallet_id, kind, reference) DO NOTHING`,
    [wallet_id, kind, reference, plan.amount, plan.transfer_id, metadata && JSON.stringify(metadata)],
  );
  return db.orm.findOneByOrFail(walletFunding, { wallet_id, kind, reference });
}

/** Deletes a plan whose transfer was refused, unless its reference has a plan for another transfer by now. */
export async function dropFunding(db: Db, { wallet_id, kind, reference, transfer_id }: WalletFunding): Promise<void> {
  await db.orm.delete(walletFunding, { wallet_id, kind, reference, transfer_id });
}
