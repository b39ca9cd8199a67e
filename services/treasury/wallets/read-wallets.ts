import { checkWallet, getWallet, getWalletTransfer, listWallets, myWallets } from '../../../lib/contracts/treasury.ts';
import { problem } from '../../../lib/errors/problem.ts';
import { pageThrough } from '../../../lib/paging/cursors.ts';
import { implement, implementCommand } from '../../../lib/service/implement.ts';
import type { TreasuryDeps } from '../deps.ts';
import { findTransfer } from '../ledger/ledger-reads.store.ts';
import { FUND_SCOPE } from './fund-wallet.ts';
import { findWallet, listWalletsOf } from './wallet.store.ts';
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

/** Reads a transfer that moved the wallet, for its owner and for the payment provider. */
export const getWalletTransferAction = ({ reads }: TreasuryDeps) =>
  implement(getWalletTransfer, async ({ path: { wallet_id, transfer_id } }, caller) => {
    const wallet = await findWallet(reads, wallet_id);
    const mayRead = wallet?.user_id === caller.user_id || caller.scopes.includes(FUND_SCOPE);
    const transfer = wallet && mayRead ? await findTransfer(reads, transfer_id) : undefined;
    if (transfer?.legs.some(({ account }) => account === wallet?.account_id) !== true) throw problem('not_found');
    return transfer;
  });

/** Refuses unless the wallet belongs to the user and has the currency. */
export const checkWalletAction = ({ reads }: TreasuryDeps) =>
  implementCommand(checkWallet, async ({ wallet_id, user_id, currency }) => {
    const wallet = await findWallet(reads, wallet_id);
    if (wallet?.user_id !== user_id) throw problem('not_found');
    if (wallet.currency !== currency) throw problem('wallet_currency_mismatch');
    return { ok: true };
  });
