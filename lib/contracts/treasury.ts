/** Treasury: the double-entry ledger, wallets, the cash ledger, distributions. The only place where money moves. */
import {
  amount,
  boolean,
  currency,
  date,
  described,
  enumeration,
  id,
  integer,
  list,
  minor,
  nullable,
  object,
  opaque,
  optional,
  text,
} from '../schema/fields.ts';
import type { Value } from '../schema/fields.ts';
import { always, command, endpoint } from './action.ts';
import { executeApprovalInput, executionOutcome, REMAINS } from './approvals.ts';
import { currencyCode } from './membership/associations.ts';
import {
  associationId,
  EXAMPLE,
  EXAMPLE_HASH,
  meetingId,
  memberId,
  sealedPin,
  USER_ID_MAX_CODE_POINTS,
  WALLET_ID_MAX_LENGTH,
  walletId,
  transferId,
} from './ids.ts';
import { pageOf, pageQuery } from './lists.ts';
import {
  REFERENCE_MAX_CODE_POINTS,
  ACCOUNT_MAX_LENGTH,
  DISTRIBUTION_STATUSES,
  TRANSFER_KINDS,
  reason,
  transferRecord,
  wallet,
  cashDeposit,
  cashLedgerEntry,
  distribution,
  balancesShape,
  ledgerHeadShape,
  statementShape,
} from './treasury/ledger.ts';
import type { TransferKind, TransferRecord } from './treasury/ledger.ts';

export * from './treasury/ledger.ts';

const inAssociation = { association_id: associationId() };
const ofWallet = { wallet_id: walletId() };

// Endpoints

export const openOwnWallet = endpoint({
  name: 'treasury.open_own_wallet',
  tag: 'Wallets',
  summary: "Open one's wallet in a currency",
  description: 'A user has one wallet in each currency: 200 gives the one that there is.',
  also: [200],
  body: { currency: currencyCode('ISO 4217, of a currency that has minor units.') },
  status: 201,
  answer: wallet,
});

export const myWallets = endpoint({
  name: 'treasury.my_wallets',
  tag: 'Wallets',
  summary: "List one's wallets",
  query: pageQuery,
  answer: pageOf(wallet),
});

export const getWallet = endpoint({
  name: 'treasury.get_wallet',
  tag: 'Wallets',
  summary: "Show one of one's wallets",
  path: ofWallet,
  answer: wallet,
});

const funding = {
  amount: described(amount(), "In the major unit of the wallet's currency.", 50_000),
  reference: described(
    text(1, REFERENCE_MAX_CODE_POINTS),
    'The same reference again gives the same transfer; for another amount it is refused.',
    'MOMO-2026-10-05-8841',
  ),
};
const fundingAnswer = (kind: TransferKind, into_wallet: number): TransferRecord => ({
  id: EXAMPLE.transfer_id,
  seq: 1,
  association_id: null,
  kind,
  legs: [
    { account: 'funding', amount_minor: -into_wallet },
    { account: `wallet:${EXAMPLE.wallet_id}`, amount_minor: into_wallet },
  ],
  currency: 'XAF',
  reference: 'MOMO-2026-10-05-8841',
  posted_at: '2026-10-05T18:30:00.000Z',
  prev_hash: '0'.repeat(64),
  hash: EXAMPLE_HASH,
});

/** Needs the scope `wallets:fund`. */
export const depositToWallet = endpoint({
  name: 'treasury.deposit',
  tag: 'Wallets',
  summary: 'Put e-money into a wallet',
  description: 'For the payment provider through which e-money enters: any wallet, whosever it is.',
  scope: 'wallets:fund',
  refuses: ['reference_reused', 'balance_limit_exceeded'],
  path: ofWallet,
  body: funding,
  status: 201,
  answer: transferRecord,
  examples: { answer: fundingAnswer('wallet_deposit', 50_000) },
});

/** Needs the scope `wallets:fund`. */
export const withdrawFromWallet = endpoint({
  name: 'treasury.withdraw',
  tag: 'Wallets',
  summary: 'Take e-money out of a wallet',
  description: 'For the payment provider through which e-money leaves: any wallet, whosever it is.',
  scope: 'wallets:fund',
  refuses: ['reference_reused', 'insufficient_funds'],
  path: ofWallet,
  body: funding,
  status: 201,
  answer: transferRecord,
  examples: { answer: fundingAnswer('wallet_withdrawal', -50_000) },
});

/** Of the wallet's owner, or with the scope `wallets:fund`. */
export const getWalletTransfer = endpoint({
  name: 'treasury.get_wallet_transfer',
  tag: 'Wallets',
  summary: 'Show a transfer that moved a wallet',
  description:
    "To the wallet's owner and to the scope `wallets:fund`: a deposit or withdrawal, or one of an association.",
  path: { ...ofWallet, transfer_id: transferId() },
  answer: transferRecord,
  examples: { answer: fundingAnswer('wallet_deposit', 50_000) },
});

export const recordCashContribution = endpoint({
  name: 'treasury.record_cash_contribution',
  tag: 'Cash',
  summary: 'Record cash that a member handed over',
  description:
    "The pin is the recorder's. It counts once the board has approved it: for the treasury or, with `meeting_id`, as a " +
    "contribution to that meeting. Then it takes the member's due at once, and until it is decided the meeting can " +
    "neither be settled nor cancelled. What becomes of it is its approval's outcome, to which `Location` leads.",
  permission: 'record_cash',
  refuses: ['no_eligible_approver', 'contribution_exceeds_due', 'meeting_not_open'],
  path: inAssociation,
  body: {
    member_id: memberId('Who handed the cash over.'),
    amount: described(amount(), 'How much.', 10_000),
    reason: reason('Paid at the door'),
    pin: sealedPin(),
    meeting_id: optional(meetingId("Then it is a contribution to that meeting; the treasury's otherwise.")),
  },
  status: 201,
  answer: cashDeposit,
});

export const cashLedger = endpoint({
  name: 'treasury.cash_ledger',
  tag: 'Cash',
  summary: 'List what went into and out of the cash box',
  description: 'The newest first.',
  permission: 'read',
  path: inAssociation,
  query: pageQuery,
  answer: pageOf(cashLedgerEntry),
});

export const requestDistribution = endpoint({
  name: 'treasury.request_distribution',
  tag: 'Treasury',
  summary: 'Ask for a distribution from the treasury to a member',
  description: 'The funds are reserved at once. The board decides; then it is paid, or the reserve is released.',
  permission: 'request_distribution',
  refuses: ['no_eligible_approver', 'insufficient_funds'],
  path: inAssociation,
  body: {
    beneficiary_member_id: memberId('Who is to be paid.'),
    amount: described(amount(), 'How much.', 25_000),
    reason: reason('Hospital bill'),
  },
  status: 201,
  answer: distribution,
});

export const listDistributions = endpoint({
  name: 'treasury.list_distributions',
  tag: 'Treasury',
  summary: 'List distributions',
  description: 'The newest first.',
  permission: 'read',
  path: inAssociation,
  query: { ...pageQuery, status: described(optional(enumeration(DISTRIBUTION_STATUSES)), 'Only with this status.') },
  answer: pageOf(distribution),
});

export const getDistribution = endpoint({
  name: 'treasury.get_distribution',
  tag: 'Treasury',
  summary: 'Show a distribution',
  permission: 'read',
  path: { ...inAssociation, distribution_id: described(id(), 'The distribution.', EXAMPLE.distribution_id) },
  answer: distribution,
});

export const balances = endpoint({
  name: 'treasury.balances',
  tag: 'Treasury',
  summary: 'Show what the association holds',
  permission: 'read',
  path: inAssociation,
  answer: balancesShape,
});

export const ledger = endpoint({
  name: 'treasury.ledger',
  tag: 'Ledger',
  summary: 'List transfers',
  description: 'The newest first.',
  permission: 'read',
  path: inAssociation,
  query: pageQuery,
  answer: pageOf(transferRecord),
});

export const ledgerHead = endpoint({
  name: 'treasury.ledger_head',
  tag: 'Ledger',
  summary: "Show the chain's head",
  description: 'Write it down, and nobody can change the past without your noticing.',
  permission: 'read',
  path: inAssociation,
  answer: ledgerHeadShape(),
});

/** One stretch of the export, oldest first; the gateway streams them as NDJSON until `done`. */
export const ledgerExport = endpoint({
  name: 'treasury.ledger_export',
  tag: 'Ledger',
  summary: 'Export the chain',
  description:
    'Every transfer, the oldest first, one JSON object a line, streamed. Whoever holds it can verify it without the ' +
    'server: each `hash` is the SHA-256 of the RFC 8785 form of its transfer without `hash`, and each `prev_hash` is ' +
    'the hash of the line before. A connection that breaks off means that the file is not whole.',
  permission: 'read',
  path: inAssociation,
  query: {
    after_seq: described(
      optional(integer(0, Number.MAX_SAFE_INTEGER)),
      'Only transfers after this one: to go on with an export.',
      0,
    ),
  },
  answer: object({ transfers: list(transferRecord), done: boolean() }),
});

/** A member's movements in an association, as he and the board may see them; the gateway writes it as CSV or PDF too. */
export const statement = endpoint({
  name: 'treasury.statement',
  tag: 'Ledger',
  summary: "A member's statement",
  description:
    "The caller's own unless `member_id` names another, which takes a board role. As JSON, as CSV, or as a PDF to print, " +
    'by `Accept`, the PDF and the header of the CSV in English or French, by `Accept-Language`. Beside the balance stand ' +
    'the arrears, which the ledger does not know: what the member owes and is owed from settled rounds. A member who has ' +
    'left still reads their own. At most 10 000 movements: ask for a shorter period otherwise.',
  permission: 'read_own_statement',
  refuses: ['role_not_allowed', 'not_acceptable'],
  path: inAssociation,
  query: {
    member_id: optional(memberId("Whose statement; the caller's own if absent.")),
    from: described(
      optional(date()),
      'The first day, in UTC, none that is to come; from the beginning if absent.',
      '2026-10-01',
    ),
    to: described(optional(date()), 'The last day, in UTC; until now if absent.', '2026-10-31'),
  },
  answer: statementShape,
});
export type Statement = Value<typeof statement.answer>;

// Commands

/** Gives the user's wallet in the currency, opening one if there is none. */
export const openWallet = command({
  name: 'treasury.open_wallet',
  input: { user_id: opaque(USER_ID_MAX_CODE_POINTS), currency: currency() },
  answer: object({ wallet_id: opaque(WALLET_ID_MAX_LENGTH) }),
});

/** Refuses with not_found unless the wallet is the user's, with wallet_currency_mismatch unless in the currency. */
export const checkWallet = command({
  name: 'treasury.check_wallet',
  reads: always,
  input: { ...ofWallet, user_id: opaque(USER_ID_MAX_CODE_POINTS), currency: currency() },
  answer: object({ ok: boolean() }),
});

/** A leg as asked for: whom it is about, for statements, is not part of the chain; the transfer's member if absent. */
const transferLeg = object({ account: opaque(ACCOUNT_MAX_LENGTH), amount_minor: minor(), member_id: optional(id()) });
export type TransferLeg = Value<typeof transferLeg>;

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
    legs: list(transferLeg, 2, 100_000),
    /** By how much the transfer raises (below zero: lowers) what the treasury holds as savings, which nothing else may take. */
    savings: optional(object({ emoney_minor: minor(), cash_minor: minor() })),
    reference: nullable(text(0, REFERENCE_MAX_CODE_POINTS)),
    /** Whose wallet pays: every wallet that a leg takes from must be his. */
    payer_user_id: nullable(opaque(USER_ID_MAX_CODE_POINTS)),
    /** The member whom the movement is about, for statements; not part of the chain. */
    member_id: nullable(id()),
  },
  answer: transferRecord,
});

/** Whether a cash deposit or distribution of the member awaits its decision. */
export const obligations = command({
  name: 'treasury.obligations',
  reads: always,
  input: { ...inAssociation, member_id: id() },
  answer: object({ pending: boolean() }),
});

/** Confirms or rejects a cash deposit, pays a distribution or releases its reserve: once for each approval. */
export const executeApproval = command({
  name: 'treasury.execute_approval',
  input: executeApprovalInput,
  answer: executionOutcome,
});

/**
 * Locks an association all of whose accounts are at zero and whose requests are all decided: no new ones can come to be
 * after. Once locked it answers the same again. A caller that gets `undecided` asks again.
 */
export const lockAssociation = command({
  name: 'treasury.lock_association',
  input: { ...inAssociation, approval_id: id(), dry_run: boolean() },
  answer: object({ remains: enumeration(REMAINS) }),
});

/** Undoes the lock of this approval. */
export const unlockAssociation = command({
  name: 'treasury.unlock_association',
  input: { ...inAssociation, approval_id: id() },
  answer: object({ ok: boolean() }),
});

const membership = {
  ...inAssociation,
  member_id: id(),
  tenure: integer(0, Number.MAX_SAFE_INTEGER),
  departure_id: id(),
};

/**
 * Locks a membership that is to end, if no cash deposit or distribution is open for it: none can come to be after.
 * Repeated, it answers the same.
 */
export const lockMembership = command({
  name: 'treasury.lock_membership',
  input: membership,
  answer: object({ locked: boolean() }),
});

/** Undoes the lock of this departure. */
export const unlockMembership = command({
  name: 'treasury.unlock_membership',
  input: membership,
  answer: object({ ok: boolean() }),
});

export const health = command({
  name: 'treasury.health',
  input: {},
  answer: object({ ok: boolean(), delayed_events: optional(boolean()) }),
});
