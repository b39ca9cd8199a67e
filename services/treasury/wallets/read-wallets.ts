import { UTC } from '../../../lib/calendar/zones.ts';
import type { Caller } from '../../../lib/contracts/action.ts';
import {
  checkWallet,
  getWallet,
  getWalletTransfer,
  listWallets,
  listWalletTransfers,
  myWallets,
} from '../../../lib/contracts/treasury.ts';
import type { Db } from '../../../lib/db/db.ts';
import { problem } from '../../../lib/errors/problem.ts';
import { listName, pageThrough } from '../../../lib/paging/cursors.ts';
import { implement, implementCommand } from '../../../lib/service/implement.ts';
import type { TreasuryDeps } from '../deps.ts';
import { findTransfer } from '../ledger/ledger-reads.store.ts';
import { periodOf } from '../ledger/period.rules.ts';
import { listOfAccount } from '../ledger/transfer-lists.store.ts';
import { FUND_SCOPE } from './fund-wallet.ts';
import { findWallet, listWalletsOf } from './wallet.store.ts';
import type { Wallet } from './wallet.table.ts';
import { showWallet } from './wallet.view.ts';

/** Lists the caller's wallets, the oldest first. */
export const myWalletsAction = ({ reads, cursors }: TreasuryDeps) =>
  implement(myWallets, async ({ query }, { user_id }) =>
    pageThrough(
      cursors,
      `wallets/${user_id}`,
      query,
      (after, limit) => listWalletsOf(reads, user_id, after?.[0] ?? null, limit),
      (wallet) => [wallet.id],
      showWallet,
    ),
  );

/** A user has one wallet in each currency, and ISO 4217 has fewer than 200. */
const WALLETS_MAX = 200;

/** Returns the wallets of a user to membership, the oldest first. */
export const listWalletsAction = ({ reads }: TreasuryDeps) =>
  implementCommand(listWallets, async ({ user_id }) => {
    const wallets = await listWalletsOf(reads, user_id, null, WALLETS_MAX);
    return { wallets: wallets.map(showWallet) };
  });

/** Reads one of the caller's wallets. Wallets of other users are not found. */
export const getWalletAction = ({ reads }: TreasuryDeps) =>
  implement(getWallet, async ({ path }, caller) => {
    const wallet = await findWallet(reads, path.wallet_id);
    if (wallet?.user_id !== caller.user_id) throw problem('not_found');
    return showWallet(wallet);
  });

/** Lists the transfers that moved money of the wallet, newest first, for its owner and for the payment provider. */
export const listWalletTransfersAction = ({ reads, cursors }: TreasuryDeps) =>
  implement(listWalletTransfers, async ({ path: { wallet_id }, query }, caller) => {
    const { account_id } = await requireReadable(reads, wallet_id, caller);
    // Days are judged in UTC, as a wallet belongs to no association.
    const filter = { kind: query.kind, ...periodOf(query, UTC), chain_id: null };
    return pageThrough(
      cursors,
      listName(`wallet-transfers/${wallet_id}`, query),
      query,
      (after, limit) => listOfAccount(reads, account_id, filter, after, limit),
      ({ position }) => position,
      ({ transfer }) => transfer,
    );
  });

/** Reads a transfer that moved the wallet, for its owner and for the payment provider. */
export const getWalletTransferAction = ({ reads }: TreasuryDeps) =>
  implement(getWalletTransfer, async ({ path: { wallet_id, transfer_id } }, caller) => {
    const { account_id } = await requireReadable(reads, wallet_id, caller);
    const transfer = await findTransfer(reads, transfer_id);
    if (transfer?.legs.some(({ account }) => account === account_id) !== true) throw problem('not_found');
    return transfer;
  });

/** @throws not_found unless the wallet is the caller's, or they are the payment provider */
async function requireReadable(db: Db, wallet_id: string, caller: Caller): Promise<Wallet> {
  const wallet = await findWallet(db, wallet_id);
  const mayRead = wallet?.user_id === caller.user_id || caller.scopes.includes(FUND_SCOPE);
  if (wallet === undefined || !mayRead) throw problem('not_found');
  return wallet;
}

/** Refuses unless the wallet belongs to the user and has the currency. */
export const checkWalletAction = ({ reads }: TreasuryDeps) =>
  implementCommand(checkWallet, async ({ wallet_id, user_id, currency }) => {
    const wallet = await findWallet(reads, wallet_id);
    if (wallet?.user_id !== user_id) throw problem('not_found');
    if (wallet.currency !== currency) throw problem('wallet_currency_mismatch');
    return { ok: true };
  });
