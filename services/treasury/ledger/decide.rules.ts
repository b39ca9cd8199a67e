/** The rules of posting, on the part of the ledger that a batch has locked or has in the cache. */
import { isWalletAccount, moneyOf } from '../../../lib/contracts/accounts.ts';
import type { TransferLeg, TransferRecord } from '../../../lib/contracts/treasury.ts';
import type { ErrorCode } from '../../../lib/errors/codes.ts';
import type { Refusal } from '../../../lib/errors/problem.ts';
import { sumMaxMinor, toMajor } from '../../../lib/money/amount.ts';
import { accountIdOf, GENESIS_HASH, hashOf, isExternal, mayGoNegative } from './chain.rules.ts';
import type { AccountRow, ChainRow } from './ledger.table.ts';
import { legsBetween, plainLeg, savingsChangeOf, type Draw, type Outcome, type Posting } from './posting.rules.ts';

export type Account = Omit<AccountRow, 'created_at'> & {
  /** Whether this batch creates it. */
  fresh: boolean;
};

export type ChainHead = ChainRow & {
  /** Whether this batch begins it. */
  fresh: boolean;
};

/** The first outcome under an id, and the fingerprint of what was asked. */
export interface Known {
  fingerprint: string;
  outcome: Exclude<Outcome, { status: 'conflict' }>;
}

/** What a batch sees of the ledger. decide() updates it with each posting. */
export interface LedgerView {
  /** By chain id; a missing one is empty. */
  chains: Map<string, ChainHead>;
  /** By account id; a missing one is at zero, but a missing wallet does not exist. */
  accounts: Map<string, Account>;
  /** By transfer id. */
  known: Map<string, Known>;
}

/** One leg as an entry of its account. */
export interface Entry {
  /** The account after the entry. */
  account: Account;
  transfer_id: string;
  /** In minor units. */
  amount: bigint;
  /** The member that gave it to the association or got it; null within the association, and outside of one. */
  member_id: string | null;
}

type Posted = { status: 'posted'; transfer: TransferRecord; entries: Entry[] };

export type Decision =
  | Posted
  | { status: 'refused'; refusal: Refusal }
  /** The id already has this outcome. */
  | { status: 'repeat'; outcome: Known['outcome'] }
  /** The id already has an outcome, for other content. */
  | { status: 'conflict' }
  /** A mistake of ours, thrown to the caller; nothing is stored. */
  | { status: 'mistake'; message: string };

/**
 * Decides one posting and updates the view.
 * @param fingerprint of the posting, from fingerprintOf()
 * @param posted_at RFC 3339 in UTC with milliseconds
 */
export function decide(view: LedgerView, posting: Posting, fingerprint: string, posted_at: string): Decision {
  const decision = judge(view, posting, fingerprint, posted_at);
  if (decision.status === 'posted' || decision.status === 'refused') {
    view.known.set(posting.id, { fingerprint, outcome: outcomeOf(decision) });
  }
  if (decision.status === 'posted') advance(view, posting, decision);
  return decision;
}

function outcomeOf(decision: Extract<Decision, { status: 'posted' | 'refused' }>): Known['outcome'] {
  return decision.status === 'posted' ? { status: 'posted', transfer: decision.transfer } : decision;
}

function judge(view: LedgerView, posting: Posting, fingerprint: string, posted_at: string): Decision {
  const known = view.known.get(posting.id);
  if (known !== undefined) {
    return known.fingerprint === fingerprint ? { status: 'repeat', outcome: known.outcome } : { status: 'conflict' };
  }
  const legs = 'legs' in posting.movement ? posting.movement.legs : legsOf(view, posting, posting.movement.draw);
  if ('code' in legs) return { status: 'refused', refusal: legs };

  const objection = walletObjection(view, posting, legs);
  if (objection !== undefined) return refused(objection);
  const other = legs.find((leg) => accountAt(view, posting, leg.account)?.currency !== posting.currency);
  if (other !== undefined) return { status: 'mistake', message: `${other.account} is not in ${posting.currency}` };

  const limit = limitBroken(view, posting, legs);
  if (limit !== undefined) return refused(limit);
  return post(view, posting, legs, posted_at);
}

function refused(code: ErrorCode): Decision {
  return { status: 'refused', refusal: { code, extras: {} } };
}

/** An association's account is created with its first entry; a wallet has to be opened before. */
function accountAt(view: LedgerView, posting: Posting, name: string): Account | undefined {
  const account_id = accountIdOf(posting.chain_id, name);
  const account = view.accounts.get(account_id);
  if (account !== undefined || isWalletAccount(name)) return account;
  const { association_id, currency } = posting;
  const at_zero = { owner_user_id: null, balance: 0n, savings: 0n, entry_count: 0n, fresh: true };
  const may_go_negative = mayGoNegative(name);
  return { account_id, association_id, name, money: moneyOf(name), currency, may_go_negative, ...at_zero };
}

function chainAt(view: LedgerView, { chain_id, association_id }: Posting): ChainHead {
  return view.chains.get(chain_id) ?? { chain_id, association_id, seq: 0n, hash: GENESIS_HASH, fresh: true };
}

/** A draw takes the free e-money up to its amount, and the rest as cash. It takes no savings. */
function legsOf(view: LedgerView, posting: Posting, draw: Draw): TransferLeg[] | Refusal {
  const emoney = freeBalance(accountAt(view, posting, draw.from.emoney));
  const cash = freeBalance(accountAt(view, posting, draw.from.cash));
  const wanted = BigInt(draw.amount_minor);
  if (emoney + cash < wanted) {
    return { code: 'insufficient_funds', extras: { available: toMajor(emoney + cash, posting.currency) } };
  }
  const from_emoney = emoney < wanted ? emoney : wanted;
  return [
    ...legsBetween(draw.from.emoney, draw.to.emoney, from_emoney),
    ...legsBetween(draw.from.cash, draw.to.cash, wanted - from_emoney),
  ];
}

/** The balance without savings. */
function freeBalance(account: Account | undefined): bigint {
  return account === undefined ? 0n : account.balance - account.savings;
}

/** Wallets must exist and have the currency; those that pay must be the payer's. */
function walletObjection(view: LedgerView, posting: Posting, legs: TransferLeg[]): ErrorCode | undefined {
  const wallets = legs.filter((leg) => isWalletAccount(leg.account));
  for (const { account, amount_minor } of wallets) {
    const wallet = view.accounts.get(account);
    if (wallet === undefined) return 'not_found';
    if (amount_minor < 0 && wallet.owner_user_id !== posting.payer_user_id) return 'not_found';
  }
  const isMismatch = wallets.some(({ account }) => view.accounts.get(account)?.currency !== posting.currency);
  return isMismatch ? 'wallet_currency_mismatch' : undefined;
}

/** Checks balances after each leg, and savings and the limit after the whole transfer. */
function limitBroken(view: LedgerView, posting: Posting, legs: TransferLeg[]): ErrorCode | undefined {
  const after = new Map<string, Pick<Account, 'balance' | 'savings' | 'may_go_negative'>>();
  for (const { account: name, amount_minor } of legs) {
    const account = after.get(name) ?? withSavings(posting, accountAt(view, posting, name));
    if (account === undefined) continue;
    const { balance, savings, may_go_negative } = account;
    const moved = { balance: balance + BigInt(amount_minor), savings, may_go_negative };
    // No entry shows a balance below zero, even if a later leg of the same transfer would raise it again.
    if (moved.balance < 0n && !may_go_negative) return 'insufficient_funds';
    after.set(name, moved);
  }
  const accounts = [...after.values()];
  if (accounts.some(isShort)) return 'insufficient_funds';
  const limit = sumMaxMinor(posting.currency);
  const beyond = accounts.some(({ balance }) => balance > limit || balance < -limit);
  return beyond ? 'balance_limit_exceeded' : undefined;
}

/** The account with its savings after the posting; its balance is still that before. */
function withSavings(posting: Posting, account: Account | undefined): Account | undefined {
  if (account === undefined || posting.savings === undefined) return account;
  return { ...account, savings: account.savings + savingsChangeOf(posting, account.name) };
}

/** Whether its savings would be below zero, or above its balance. */
function isShort({ balance, savings, may_go_negative }: Pick<Account, 'balance' | 'savings' | 'may_go_negative'>) {
  return savings < 0n || (balance < savings && !may_go_negative);
}

function post(view: LedgerView, posting: Posting, legs: TransferLeg[], posted_at: string): Decision {
  const chain = chainAt(view, posting);
  const unsealed = {
    id: posting.id,
    seq: Number(chain.seq) + 1,
    association_id: posting.association_id,
    kind: posting.kind,
    legs: legs.map(plainLeg),
    currency: posting.currency,
    reference: posting.reference,
    posted_at,
    prev_hash: chain.hash,
  };
  const transfer = { ...unsealed, hash: hashOf(unsealed) };
  return { status: 'posted', transfer, entries: entriesOf(view, posting, legs) };
}

function entriesOf(view: LedgerView, posting: Posting, legs: TransferLeg[]): Entry[] {
  const last = new Map<string, Account>();
  return legs.flatMap((leg) => {
    const account = last.get(leg.account) ?? withSavings(posting, accountAt(view, posting, leg.account));
    if (account === undefined) return [];
    const amount = BigInt(leg.amount_minor);
    const after = { ...account, balance: account.balance + amount, entry_count: account.entry_count + 1n };
    last.set(leg.account, after);
    return [{ account: after, transfer_id: posting.id, amount, member_id: memberOf(posting, leg) }];
  });
}

/** The member on whose statement the leg is; null for a leg that is not between an association and its members. */
function memberOf(posting: Posting, leg: TransferLeg): string | null {
  if (posting.association_id === null || !isExternal(leg.account)) return null;
  return leg.member_id ?? posting.member_id;
}

function advance(view: LedgerView, posting: Posting, { transfer, entries }: Posted): void {
  const chain = { ...chainAt(view, posting), seq: BigInt(transfer.seq), hash: transfer.hash };
  view.chains.set(chain.chain_id, chain);
  for (const { account } of entries) view.accounts.set(account.account_id, account);
}
