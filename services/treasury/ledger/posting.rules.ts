import { hash } from 'node:crypto';
import { canonicalHash } from '../../../lib/canonical/canonical-hash.ts';
import { isWalletAccount, moneyOf, treasuryAccount, WALLET_PREFIX } from '../../../lib/contracts/accounts.ts';
import type { Metadata } from '../../../lib/contracts/metadata.ts';
import type { Leg, TransferKind, TransferLeg, TransferRecord } from '../../../lib/contracts/treasury.ts';
import type { Refusal } from '../../../lib/errors/problem.ts';
import { isId } from '../../../lib/schema/rules.ts';
import { accountIdOf, isAccountOf } from './chain.rules.ts';

/**
 * An amount that is split between e-money and cash: the e-money of one account is moved first, the rest comes from the
 * cash account. Their balances decide the split, so it is computed when the posting is decided.
 */
export interface Split {
  amount_minor: number;
  from: { emoney: string; cash: string };
  to: { emoney: string; cash: string };
}

/** The change of the savings in `treasury` and `cash_treasury`. */
export interface SavingsChange {
  emoney_minor: number;
  cash_minor: number;
}

/** A request to the ledger, which is carried out once for each id. */
export interface Posting {
  id: string;
  chain_id: string;
  association_id: string | null;
  kind: TransferKind;
  currency: string;
  reference: string | null;
  movement: { legs: TransferLeg[] } | { split: Split };
  /** Each account whose savings change must have a leg. */
  savings?: SavingsChange | undefined;
  /** The owner of the wallets that pay: a leg that takes from another wallet is refused. */
  payer_user_id: string | null;
  /** The member of the legs that name no member themselves; not part of the chain. */
  member_id: string | null;
  /** Part of the transfer; null or absent if there is none. */
  metadata?: Metadata | null;
}

/** The outcome of a posting. `posted` and `refused` are stored permanently under its id; `conflict` changes nothing. */
export type Outcome =
  { status: 'posted'; transfer: TransferRecord } | { status: 'refused'; refusal: Refusal } | { status: 'conflict' };

/**
 * Enough for 10 000 members who are each paid in e-money and cash. A larger transfer would hold its locks for seconds.
 */
const LEGS_MAX = 100_000;

/** The names of the accounts that the posting may touch. */
export function accountsOf(posting: Posting): string[] {
  if ('legs' in posting.movement) return posting.movement.legs.map((leg) => leg.account);
  const { from, to } = posting.movement.split;
  return [from.emoney, from.cash, to.emoney, to.cash];
}

/** The chains and accounts that postings may touch, each once. */
export interface Touched {
  chain_ids: string[];
  account_ids: string[];
}

/** Returns the chains and accounts that the postings may touch. */
export function collectTouched(postings: readonly Posting[]): Touched {
  const chain_ids = new Set<string>();
  const account_ids = new Set<string>();
  for (const posting of postings) {
    chain_ids.add(posting.chain_id);
    for (const name of accountsOf(posting)) {
      // A wallet with an invalid id cannot exist, and PostgreSQL's text cannot hold every string.
      if (isWalletAccount(name) && !isId(name.slice(WALLET_PREFIX.length))) continue;
      account_ids.add(accountIdOf(posting.chain_id, name));
    }
  }
  return { chain_ids: [...chain_ids], account_ids: [...account_ids] };
}

/**
 * Returns the SHA-256 (hex) of a posting without its id and members. It distinguishes a repeat from other content under
 * the same id.
 */
export function fingerprintOf(posting: Posting): string {
  const { chain_id, association_id, kind, currency, reference, payer_user_id, savings, metadata } = posting;
  const movement =
    'legs' in posting.movement ? { legs: posting.movement.legs.map(plainLeg) } : storedFormOf(posting.movement.split);
  // The members are in the order of RFC 8785, because sorting 10 000 legs takes longer than all other work here.
  const asked = {
    association_id,
    chain_id,
    currency,
    kind,
    movement,
    payer_user_id,
    reference,
    savings: savings && { cash_minor: savings.cash_minor, emoney_minor: savings.emoney_minor },
  };
  // Names of metadata are in any order.
  return metadata ? canonicalHash({ ...asked, metadata }) : hash('sha256', JSON.stringify(asked), 'hex');
}

/** Returns a split in the form that is hashed. Stored fingerprints were made with the name `draw`, so it stays. */
function storedFormOf({ amount_minor, from, to }: Split) {
  const funds = ({ cash, emoney }: Split['from']) => ({ cash, emoney });
  return { draw: { amount_minor, from: funds(from), to: funds(to) } };
}

/** Returns two legs that move the amount, in minor units, or no legs if it is zero. */
export function legsBetween(from: string, to: string, amount: bigint): Leg[] {
  if (amount === 0n) return [];
  return [
    { account: from, amount_minor: Number(-amount) },
    { account: to, amount_minor: Number(amount) },
  ];
}

/** Returns the leg as it is hashed and shown: without the member. */
export function plainLeg({ account, amount_minor }: TransferLeg): TransferRecord['legs'][number] {
  return { account, amount_minor };
}

/** Returns by how much a posting changes the savings in the account, in minor units. */
export function savingsChangeOf({ savings }: Posting, account: string): bigint {
  if (savings === undefined) return 0n;
  if (account === treasuryAccount()) return BigInt(savings.emoney_minor);
  return account === treasuryAccount('cash') ? BigInt(savings.cash_minor) : 0n;
}

/**
 * Checks that a posting is well-formed.
 * @throws RangeError if it is not, which is a programming error: no outcome is stored
 */
export function assertWellFormed(posting: Posting): void {
  const malformed = (reason: string) => new RangeError(`Posting ${posting.id} (${posting.kind}): ${reason}`);
  const unknown = accountsOf(posting).find((account) => !isAccountOf(posting.chain_id, account));
  if (unknown !== undefined) throw malformed(`${unknown} is not an account of its chain`);
  const fault = savingsFault(posting);
  if (fault !== undefined) throw malformed(fault);
  if ('split' in posting.movement) {
    const { amount_minor } = posting.movement.split;
    if (!Number.isSafeInteger(amount_minor) || amount_minor <= 0) throw malformed('its amount is not above zero');
    return;
  }
  const { legs } = posting.movement;
  if (legs.length < 2 || legs.length > LEGS_MAX) throw malformed('its number of legs is out of range');
  const sums = { emoney: 0n, cash: 0n };
  for (const { account, amount_minor } of legs) {
    if (!Number.isSafeInteger(amount_minor) || amount_minor === 0)
      throw malformed('the amount of a leg is zero or not a safe integer');
    sums[moneyOf(account)] += BigInt(amount_minor);
  }
  if (sums.emoney !== 0n || sums.cash !== 0n) throw malformed('its legs do not sum to zero in e-money and in cash');
}

function savingsFault(posting: Posting): string | undefined {
  if (posting.savings === undefined) return undefined;
  if ('split' in posting.movement) return 'a split cannot change savings';
  for (const [account, amount_minor] of [
    [treasuryAccount(), posting.savings.emoney_minor],
    [treasuryAccount('cash'), posting.savings.cash_minor],
  ] as const) {
    if (!Number.isSafeInteger(amount_minor)) return 'its savings are not safe integers';
    const touched = posting.movement.legs.some((leg) => leg.account === account);
    if (amount_minor !== 0 && !touched) return `no leg moves the savings of ${account}`;
  }
  return undefined;
}
