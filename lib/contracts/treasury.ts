/** Treasury: the double-entry ledger, wallets, the cash ledger, distributions. The only place where money moves. */
import {
  amount,
  boolean,
  currency,
  enumeration,
  id,
  instant,
  integer,
  list,
  minor,
  money,
  nullable,
  object,
  opaque,
  optional,
  text,
} from '../schema/fields.ts';
import type { Value } from '../schema/fields.ts';
import { command, endpoint } from './action.ts';
import { executeApprovalInput, executionOutcome } from './approvals.ts';
import { pageOf, pageQuery } from './lists.ts';
import { sealedPin } from './membership.ts';

/** Bounds of the contract, section 3, and of RFC-sized texts where it is silent. */
const REASON_MAX_CODE_POINTS = 500;
const REFERENCE_MAX_CODE_POINTS = 200;
const WALLET_ID_MAX_LENGTH = 128;
const ACCOUNT_MAX_LENGTH = 200;
/** 128 code points, each of at most two UTF-16 units. */
const USER_ID_MAX_LENGTH = 256;

export const PAYOUT_METHODS = ['wallet', 'cash'] as const;
export const CASH_STATUSES = ['pending_approval', 'confirmed', 'rejected'] as const;
export const DISTRIBUTION_STATUSES = ['pending_approval', 'paid', 'rejected', 'failed'] as const;

/** Why money moved. */
export const TRANSFER_KINDS = [
  'wallet_deposit',
  'wallet_withdrawal',
  'contribution',
  'settlement',
  'cash_deposit',
  'distribution_reserve',
  'distribution_payment',
  'distribution_release',
] as const;
export type TransferKind = (typeof TRANSFER_KINDS)[number];

const leg = object({ account: opaque(ACCOUNT_MAX_LENGTH), amount_minor: minor() });
export type Leg = Value<typeof leg>;

/** A posted transfer, exactly as it is hashed (contract, section 5). */
export const transferRecord = object({
  id: id(),
  seq: integer(1, Number.MAX_SAFE_INTEGER),
  association_id: nullable(id()),
  kind: enumeration(TRANSFER_KINDS),
  legs: list(leg),
  currency: currency(),
  /** What the caller gave; the reason, for cash and distributions. */
  reference: nullable(text(0, REASON_MAX_CODE_POINTS)),
  posted_at: instant(),
  prev_hash: opaque(64),
  hash: opaque(64),
});
export type TransferRecord = Value<typeof transferRecord>;

export const wallet = object({
  id: opaque(WALLET_ID_MAX_LENGTH),
  user_id: opaque(USER_ID_MAX_LENGTH),
  currency: currency(),
  balance: money(),
  created_at: instant(),
});
export type Wallet = Value<typeof wallet>;

export const payout = object({
  member_id: id(),
  wallet_id: nullable(opaque(WALLET_ID_MAX_LENGTH)),
  method: enumeration(PAYOUT_METHODS),
  amount: money(),
  transfer_id: id(),
});
export type Payout = Value<typeof payout>;

export const cashDeposit = object({
  id: id(),
  association_id: id(),
  member_id: id(),
  amount: money(),
  currency: currency(),
  reason: text(1, REASON_MAX_CODE_POINTS),
  meeting_id: nullable(id()),
  status: enumeration(CASH_STATUSES),
  approval_id: id(),
  recorded_by_member_id: id(),
  recorded_at: instant(),
});
export type CashDeposit = Value<typeof cashDeposit>;

export const cashLedgerEntry = object({
  id: id(),
  kind: enumeration(TRANSFER_KINDS),
  amount: money(),
  balance_after: money(),
  member_id: nullable(id()),
  reference: nullable(text(0, REASON_MAX_CODE_POINTS)),
  posted_at: instant(),
});

export const distribution = object({
  id: id(),
  association_id: id(),
  beneficiary_member_id: id(),
  amount: money(),
  currency: currency(),
  reason: text(1, REASON_MAX_CODE_POINTS),
  status: enumeration(DISTRIBUTION_STATUSES),
  approval_id: id(),
  requested_by_member_id: id(),
  requested_at: instant(),
  payouts: list(payout),
  decided_at: nullable(instant()),
});
export type Distribution = Value<typeof distribution>;

const inAssociation = { association_id: id() };
const ofWallet = { wallet_id: opaque(WALLET_ID_MAX_LENGTH) };

// Endpoints

export const openOwnWallet = endpoint({
  name: 'treasury.open_own_wallet',
  body: { currency: currency() },
  status: 201,
  answer: wallet,
});

export const myWallets = endpoint({ name: 'treasury.my_wallets', query: pageQuery, answer: pageOf(wallet) });
export const getWallet = endpoint({ name: 'treasury.get_wallet', path: ofWallet, answer: wallet });

const funding = { amount: amount(), reference: text(1, REFERENCE_MAX_CODE_POINTS) };

/** Needs the scope `wallets:fund`. */
export const depositToWallet = endpoint({
  name: 'treasury.deposit',
  path: ofWallet,
  body: funding,
  status: 201,
  answer: transferRecord,
});

/** Needs the scope `wallets:fund`. */
export const withdrawFromWallet = endpoint({
  name: 'treasury.withdraw',
  path: ofWallet,
  body: funding,
  status: 201,
  answer: transferRecord,
});

export const recordCashContribution = endpoint({
  name: 'treasury.record_cash_contribution',
  path: inAssociation,
  body: {
    member_id: id(),
    amount: amount(),
    reason: text(1, REASON_MAX_CODE_POINTS),
    pin: sealedPin(),
  },
  status: 201,
  answer: cashDeposit,
});

export const cashLedger = endpoint({
  name: 'treasury.cash_ledger',
  path: inAssociation,
  query: pageQuery,
  answer: pageOf(cashLedgerEntry),
});

export const requestDistribution = endpoint({
  name: 'treasury.request_distribution',
  path: inAssociation,
  body: { beneficiary_member_id: id(), amount: amount(), reason: text(1, REASON_MAX_CODE_POINTS) },
  status: 201,
  answer: distribution,
});

export const listDistributions = endpoint({
  name: 'treasury.list_distributions',
  path: inAssociation,
  query: { ...pageQuery, status: optional(enumeration(DISTRIBUTION_STATUSES)) },
  answer: pageOf(distribution),
});

export const getDistribution = endpoint({
  name: 'treasury.get_distribution',
  path: { ...inAssociation, distribution_id: id() },
  answer: distribution,
});

export const balances = endpoint({
  name: 'treasury.balances',
  path: inAssociation,
  answer: object({
    currency: currency(),
    treasury: money(),
    reserved: money(),
    cash: money(),
    available: money(),
    pools: list(object({ meeting_id: id(), amount: money(), cash_amount: money() })),
  }),
});

export const ledger = endpoint({
  name: 'treasury.ledger',
  path: inAssociation,
  query: pageQuery,
  answer: pageOf(transferRecord),
});

export const ledgerHead = endpoint({
  name: 'treasury.ledger_head',
  path: inAssociation,
  answer: object({ seq: integer(0, Number.MAX_SAFE_INTEGER), hash: opaque(64) }),
});

/** One stretch of the export, oldest first; the gateway streams them as NDJSON until `done`. */
export const ledgerExport = endpoint({
  name: 'treasury.ledger_export',
  path: inAssociation,
  query: { after_seq: optional(integer(0, Number.MAX_SAFE_INTEGER)) },
  answer: object({ transfers: list(transferRecord), done: boolean() }),
});

// Commands

/** Gives the user's wallet in the currency, opening one if there is none. */
export const openWallet = command({
  name: 'treasury.open_wallet',
  input: { user_id: opaque(USER_ID_MAX_LENGTH), currency: currency() },
  answer: object({ wallet_id: opaque(WALLET_ID_MAX_LENGTH) }),
});

/** Refuses with not_found unless the wallet is the user's, with wallet_currency_mismatch unless in the currency. */
export const checkWallet = command({
  name: 'treasury.check_wallet',
  input: { ...ofWallet, user_id: opaque(USER_ID_MAX_LENGTH), currency: currency() },
  answer: object({ ok: boolean() }),
});

/**
 * Posts one transfer of an association. Its id is the caller's operation: the first outcome, a refusal too, stands for
 * ever, and repeating it gives that outcome again. Refuses with not_found (a wallet that does not exist or is not
 * `payer_user_id`'s), wallet_currency_mismatch, insufficient_funds, balance_limit_exceeded, transfer_conflict (the id
 * was used for another content).
 */
export const transfer = command({
  name: 'treasury.transfer',
  input: {
    id: id(),
    association_id: id(),
    kind: enumeration(TRANSFER_KINDS),
    currency: currency(),
    legs: list(leg, 2, 100_000),
    reference: nullable(text(0, REFERENCE_MAX_CODE_POINTS)),
    /** Whose wallet pays: every wallet that a leg takes from must be his. */
    payer_user_id: nullable(opaque(USER_ID_MAX_LENGTH)),
    /** The member whom the movement is about, for statements; not part of the chain. */
    member_id: nullable(id()),
  },
  answer: transferRecord,
});

/** Whether a cash deposit or distribution of the member awaits its decision. */
export const obligations = command({
  name: 'treasury.obligations',
  input: { ...inAssociation, member_id: id() },
  answer: object({ pending: boolean() }),
});

/** Confirms or rejects a cash deposit, pays a distribution or releases its reserve: once for each approval. */
export const executeApproval = command({
  name: 'treasury.execute_approval',
  input: executeApprovalInput,
  answer: executionOutcome,
});

export const health = command({ name: 'treasury.health', input: {}, answer: object({ ok: boolean() }) });
