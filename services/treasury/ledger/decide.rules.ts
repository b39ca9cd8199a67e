/** The rules of posting. They are applied to the part of the ledger that a batch has locked or read from the cache. */
import { isWalletAccount, moneyOf } from '../../../lib/contracts/accounts.ts';
import { metadataMember } from '../../../lib/contracts/metadata.ts';
import type { TransferLeg, TransferRecord } from '../../../lib/contracts/treasury.ts';
import type { ErrorCode } from '../../../lib/errors/codes.ts';
import type { Refusal } from '../../../lib/errors/problem.ts';
import { sumMaxMinor, toMajor } from '../../../lib/money/amount.ts';
import { accountIdOf, GENESIS_HASH, hashOf, isExternal, mayGoNegative } from './chain.rules.ts';
import type { AccountRow, ChainRow } from './ledger.table.ts';
import { legsBetween, plainLeg, savingsChangeOf, type Outcome, type Posting, type Split } from './posting.rules.ts';

export type Account = Omit<AccountRow, 'created_at'> & {
  /** Whether this batch creates the account. */
  fresh: boolean;
};

export type ChainHead = ChainRow & {
  /** Whether this batch begins the chain. */
  fresh: boolean;
};

/** The first outcome under an id, and the fingerprint of its posting. */
export interface Known {
  fingerprint: string;
  outcome: Exclude<Outcome, { status: 'conflict' }>;
}

/** The part of the ledger that a batch reads. decide() updates it with each posting. */
export interface LedgerView {
  /** By chain id. A missing chain is empty. */
  chains: Map<string, ChainHead>;
  /** By account id. A missing wallet does not exist; any other missing account is at zero. */
  accounts: Map<string, Account>;
  /** The stored outcomes, by transfer id. */
  known: Map<string, Known>;
}

/** One leg as an entry of its account. */
export interface Entry {
  /** The account after the entry. */
  account: Account;
  transfer_id: string;
  /** In minor units. */
  amount: bigint;
  /**
   * The member who paid the association or was paid by it; null for entries within an association or outside of one.
   */
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
  /** A programming error, thrown to the caller; no outcome is stored. */
  | { status: 'malformed'; message: string };

/**
 * Decides one posting and updates the view.
 * @param fingerprint of the posting, from fingerprintOf()
 * @param posted_at RFC 3339 in UTC with milliseconds
 */
export function decide(view: LedgerView, posting: Posting, fingerprint: string, posted_at: string): Decision {
  const decision = evaluate(view, posting, fingerprint, posted_at);
  if (decision.status === 'posted' || decision.status === 'refused') {
    view.known.set(posting.id, { fingerprint, outcome: outcomeOf(decision) });
  }
  if (decision.status === 'posted') advance(view, posting, decision);
  return decision;
}

function outcomeOf(decision: Extract<Decision, { status: 'posted' | 'refused' }>): Known['outcome'] {
  return decision.status === 'posted' ? { status: 'posted', transfer: decision.transfer } : decision;
}

function evaluate(view: LedgerView, posting: Posting, fingerprint: string, posted_at: string): Decision {
  const known = view.known.get(posting.id);
  if (known !== undefined) {
    return known.fingerprint === fingerprint ? { status: 'repeat', outcome: known.outcome } : { status: 'conflict' };
  }
  const legs = 'legs' in posting.movement ? posting.movement.legs : splitLegs(view, posting, posting.movement.split);
  if ('code' in legs) return { status: 'refused', refusal: legs };

  const refusal = walletRefusal(view, posting, legs);
  if (refusal !== undefined) return refuse(refusal);
  const other = legs.find((leg) => accountAt(view, posting, leg.account).currency !== posting.currency);
  if (other !== undefined) return { status: 'malformed', message: `${other.account} is not in ${posting.currency}` };

  const limit = limitRefusal(view, posting, legs);
  if (limit !== undefined) return refuse(limit);
  return post(view, posting, legs, posted_at);
}

function refuse(code: ErrorCode): Decision {
  return { status: 'refused', refusal: { code, extras: {} } };
}

/**
 * Returns the account. Every account except wallets is created with its first entry.
 * @throws Error for a wallet that does not exist; walletRefusal() must have found it
 */
function accountAt(view: LedgerView, posting: Posting, name: string): Account {
  const account_id = accountIdOf(posting.chain_id, name);
  const account = view.accounts.get(account_id);
  if (account !== undefined) return account;
  if (isWalletAccount(name)) throw new Error(`There is no account ${name}`);
  const { association_id, currency } = posting;
  const at_zero = { owner_user_id: null, balance: 0n, savings: 0n, entry_count: 0n, fresh: true };
  const may_go_negative = mayGoNegative(name);
  return { account_id, association_id, name, money: moneyOf(name), currency, may_go_negative, ...at_zero };
}

function chainAt(view: LedgerView, { chain_id, association_id }: Posting): ChainHead {
  return view.chains.get(chain_id) ?? { chain_id, association_id, seq: 0n, hash: GENESIS_HASH, fresh: true };
}

/** Returns the legs of a split: free e-money up to the amount, cash for the rest. Savings are not free. */
function splitLegs(view: LedgerView, posting: Posting, { amount_minor, from, to }: Split): TransferLeg[] | Refusal {
  const emoney = freeBalance(accountAt(view, posting, from.emoney));
  const cash = freeBalance(accountAt(view, posting, from.cash));
  const wanted = BigInt(amount_minor);
  if (emoney + cash < wanted) {
    return { code: 'insufficient_funds', extras: { available: toMajor(emoney + cash, posting.currency) } };
  }
  const from_emoney = emoney < wanted ? emoney : wanted;
  return [
    ...legsBetween(from.emoney, to.emoney, from_emoney),
    ...legsBetween(from.cash, to.cash, wanted - from_emoney),
  ];
}

/** Returns the balance without savings. */
function freeBalance({ balance, savings }: Account): bigint {
  return balance - savings;
}

/**
 * Returns why the wallets cannot be used: they must exist and have the currency, and a wallet that pays must be the
 * payer's.
 */
function walletRefusal(view: LedgerView, posting: Posting, legs: TransferLeg[]): ErrorCode | undefined {
  const wallets = legs.filter((leg) => isWalletAccount(leg.account));
  for (const { account, amount_minor } of wallets) {
    const wallet = view.accounts.get(account);
    if (wallet === undefined) return 'not_found';
    if (amount_minor < 0 && wallet.owner_user_id !== posting.payer_user_id) return 'not_found';
  }
  const isMismatch = wallets.some(({ account }) => view.accounts.get(account)?.currency !== posting.currency);
  return isMismatch ? 'wallet_currency_mismatch' : undefined;
}

/** Returns the limit that the legs break: balances after each leg, savings and the balance limit after the transfer. */
function limitRefusal(view: LedgerView, posting: Posting, legs: TransferLeg[]): ErrorCode | undefined {
  const after = new Map<string, Pick<Account, 'balance' | 'savings' | 'may_go_negative'>>();
  for (const { account: name, amount_minor } of legs) {
    const account = after.get(name) ?? withSavings(posting, accountAt(view, posting, name));
    const { balance, savings, may_go_negative } = account;
    const moved = { balance: balance + BigInt(amount_minor), savings, may_go_negative };
    // Each entry stores its balance, so it must not be below zero even if a later leg would raise it again.
    if (moved.balance < 0n && !may_go_negative) return 'insufficient_funds';
    after.set(name, moved);
  }
  const accounts = [...after.values()];
  if (accounts.some(isShort)) return 'insufficient_funds';
  const limit = sumMaxMinor(posting.currency);
  const beyond = accounts.some(({ balance }) => balance > limit || balance < -limit);
  return beyond ? 'balance_limit_exceeded' : undefined;
}

/** Returns the account with its savings after the posting and its balance before it. */
function withSavings(posting: Posting, account: Account): Account {
  if (posting.savings === undefined) return account;
  return { ...account, savings: account.savings + savingsChangeOf(posting, account.name) };
}

/** Whether the savings are below zero or above the balance. */
function isShort({ balance, savings, may_go_negative }: Pick<Account, 'balance' | 'savings' | 'may_go_negative'>) {
  return savings < 0n || (balance < savings && !may_go_negative);
}

function post(view: LedgerView, posting: Posting, legs: TransferLeg[], posted_at: string): Decision {
  const chain = chainAt(view, posting);
  const content = {
    id: posting.id,
    seq: Number(chain.seq) + 1,
    association_id: posting.association_id,
    kind: posting.kind,
    legs: legs.map(plainLeg),
    currency: posting.currency,
    reference: posting.reference,
    posted_at,
    prev_hash: chain.hash,
    ...metadataMember(posting.metadata),
  };
  const transfer = { ...content, hash: hashOf(content) };
  return { status: 'posted', transfer, entries: entriesOf(view, posting, legs) };
}

function entriesOf(view: LedgerView, posting: Posting, legs: TransferLeg[]): Entry[] {
  const last = new Map<string, Account>();
  return legs.flatMap((leg) => {
    const account = last.get(leg.account) ?? withSavings(posting, accountAt(view, posting, leg.account));
    const amount = BigInt(leg.amount_minor);
    const after = { ...account, balance: account.balance + amount, entry_count: account.entry_count + 1n };
    last.set(leg.account, after);
    return [{ account: after, transfer_id: posting.id, amount, member_id: memberOf(posting, leg) }];
  });
}

/** Returns the member whose statement shows the leg; null for a leg that is not between an association and a member. */
function memberOf(posting: Posting, leg: TransferLeg): string | null {
  if (posting.association_id === null || !isExternal(leg.account)) return null;
  return leg.member_id ?? posting.member_id;
}

function advance(view: LedgerView, posting: Posting, { transfer, entries }: Posted): void {
  const chain = { ...chainAt(view, posting), seq: BigInt(transfer.seq), hash: transfer.hash };
  view.chains.set(chain.chain_id, chain);
  for (const { account } of entries) view.accounts.set(account.account_id, account);
}
