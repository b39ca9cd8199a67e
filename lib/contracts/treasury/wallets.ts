import * as t from '../fields.ts';
import { exampleOf } from '../../schema/examples.ts';
import { fundingAccount, walletAccount } from '../accounts.ts';
import { always, chapter, command } from '../action.ts';
import { metadata } from '../metadata.ts';
import { REFERENCE_MAX_CODE_POINTS, SHORT_PAGES, transferFilters, transferRecord } from './ledger.ts';
import type { TransferKind, TransferRecord } from './ledger.ts';

const inWallet = { wallet_id: t.walletId() };

export const wallet = t.record('Wallet', {
  id: t.walletId('The id of the wallet.'),
  user_id: t.userId('The user who owns it.'),
  currency: t.currencyCode(),
  balance: t.money('The balance.', 40_000),
  created_at: t.at('When it was opened.', '2026-10-01T09:12:45.031Z'),
});
export type Wallet = t.Value<typeof wallet>;

const endpoint = chapter('Wallets');

export const openOwnWallet = endpoint({
  name: 'treasury.open_own_wallet',
  summary: 'Open a wallet in a currency',
  description: 'A user has one wallet per currency. 200 returns the existing one.',
  also: [200],
  body: { currency: t.currencyCode('ISO 4217, of a currency that has minor units.') },
  status: 201,
  answer: wallet,
});

export const myWallets = endpoint({
  name: 'treasury.my_wallets',
  summary: "List the caller's wallets",
  query: t.pageQuery,
  answer: t.pageOf(wallet),
});

export const getWallet = endpoint({
  name: 'treasury.get_wallet',
  summary: "Show one of the caller's wallets",
  path: inWallet,
  answer: wallet,
});

const EXAMPLE_REFERENCE = 'MOMO-2026-10-05-8841';
const funding = {
  scope: 'wallets:fund',
  path: inWallet,
  body: {
    amount: t.amount("In the major unit of the wallet's currency.", 50_000),
    reference: t.text(
      1,
      REFERENCE_MAX_CODE_POINTS,
      'A repeat with the same reference returns the same transfer; with a different amount it is refused.',
      EXAMPLE_REFERENCE,
    ),
    metadata,
  },
  status: 201,
  answer: transferRecord,
} as const;

const exampleOfFunding = (kind: TransferKind, received: number): TransferRecord => ({
  ...exampleOf(transferRecord, 'answer'),
  metadata: { receipt: '2026-117' },
  seq: 1,
  association_id: null,
  kind,
  reference: EXAMPLE_REFERENCE,
  prev_hash: '0'.repeat(64),
  legs: [
    { account: fundingAccount(), amount_minor: -received },
    { account: walletAccount(t.EXAMPLE.wallet_id), amount_minor: received },
  ],
});

export const depositToWallet = endpoint({
  ...funding,
  name: 'treasury.deposit',
  summary: 'Deposit e-money into a wallet',
  description: 'For payment providers. Deposits into the wallet of any user.',
  refuses: ['reference_reused', 'balance_limit_exceeded'],
  examples: { answer: exampleOfFunding('wallet_deposit', 50_000) },
});

export const withdrawFromWallet = endpoint({
  ...funding,
  name: 'treasury.withdraw',
  summary: 'Withdraw e-money from a wallet',
  description: 'For payment providers. Withdraws from the wallet of any user.',
  refuses: ['reference_reused', 'insufficient_funds'],
  examples: { answer: exampleOfFunding('wallet_withdrawal', -50_000) },
});

export const listWalletTransfers = endpoint({
  name: 'treasury.list_wallet_transfers',
  summary: 'List the transfers that moved money of a wallet',
  description:
    'Newest first: deposits, withdrawals and transfers of associations, for the owner of the wallet and with the scope ' +
    `\`wallets:fund\`. Filters may be combined. ${SHORT_PAGES}`,
  path: inWallet,
  query: { ...t.pageQuery, ...transferFilters('in UTC') },
  answer: t.pageOf(transferRecord),
});

export const getWalletTransfer = endpoint({
  name: 'treasury.get_wallet_transfer',
  summary: 'Show a transfer that moved money of a wallet',
  description:
    'Deposits, withdrawals and transfers of associations, for the owner of the wallet and with the scope ' +
    '`wallets:fund`.',
  path: { ...inWallet, transfer_id: t.transferId() },
  answer: transferRecord,
  examples: { answer: exampleOfFunding('wallet_deposit', 50_000) },
});

/** Returns the user's wallet in the currency. Opens one if there is none. */
export const openWallet = command({
  name: 'treasury.open_wallet',
  input: { user_id: t.opaque(t.USER_ID_MAX_CODE_POINTS), currency: t.currency() },
  answer: t.object({ wallet_id: t.opaque(t.WALLET_ID_MAX_LENGTH) }),
});

/** Lists the wallets of the user who has called, the oldest first. */
export const listWallets = command({
  name: 'treasury.list_wallets',
  reads: always,
  input: { user_id: t.opaque(t.USER_ID_MAX_CODE_POINTS) },
  answer: t.object({ wallets: t.list(wallet) }),
  // A user's balances are shown to nobody else, unlike what concerns an association.
  acts_for: { user: ({ user_id }) => user_id, within: (action) => action === 'membership.overview' },
});

/**
 * Checks a wallet. Refuses with not_found if it belongs to another user, and with wallet_currency_mismatch if it has
 * another currency.
 */
export const checkWallet = command({
  name: 'treasury.check_wallet',
  reads: always,
  input: { ...inWallet, user_id: t.opaque(t.USER_ID_MAX_CODE_POINTS), currency: t.currency() },
  answer: t.object({ ok: t.boolean() }),
});
