import { hash } from 'node:crypto';
import { isWalletAccount, moneyOf, treasuryAccount, WALLET_PREFIX } from '../../../lib/contracts/accounts.ts';
import type { Leg, TransferKind, TransferLeg, TransferRecord } from '../../../lib/contracts/treasury.ts';
import type { Refusal } from '../../../lib/errors/problem.ts';
import { isId } from '../../../lib/schema/rules.ts';
import { accountIdOf, isAccountOf } from './chain.rules.ts';

/**
 * An amount taken from two accounts of the chain, e-money first and cash for the rest, into two others. How much comes
 * from each is only known under their locks.
 */
export interface Draw {
  amount_minor: number;
  from: { emoney: string; cash: string };
  to: { emoney: string; cash: string };
}

/** By how much a posting changes the savings in `treasury` and `cash_treasury`. */
export interface SavingsChange {
  emoney_minor: number;
  cash_minor: number;
}

/** What a caller asks the ledger to do, once for each id. */
export interface Posting {
  id: string;
  chain_id: string;
  association_id: string | null;
  kind: TransferKind;
  currency: string;
  reference: string | null;
  movement: { legs: TransferLeg[] } | { draw: Draw };
  /** Needs a leg of each account whose savings it changes. */
  savings?: SavingsChange | undefined;
  /** The owner of the wallets that pay: a leg that takes from another wallet is refused. */
  payer_user_id: string | null;
  /** The member that the movement is about, unless its leg names one; not part of the chain. */
  member_id: string | null;
}

/** The outcome of a posting. `posted` and `refused` are stored under its id for ever; `conflict` changes nothing. */
export type Outcome =
  { status: 'posted'; transfer: TransferRecord } | { status: 'refused'; refusal: Refusal } | { status: 'conflict' };

/** A transfer with more legs than this would hold its locks for seconds: 10 000 members, each paid in both monies. */
const LEGS_MAX = 100_000;

/** The names of the accounts that the posting may touch. */
export function accountsOf(posting: Posting): string[] {
  if ('legs' in posting.movement) return posting.movement.legs.map((leg) => leg.account);
  const { from, to } = posting.movement.draw;
  return [from.emoney, from.cash, to.emoney, to.cash];
}

/** The chains and accounts that postings may touch, each once. */
export interface Touched {
  chain_ids: string[];
  account_ids: string[];
}

export function collectTouched(postings: readonly Posting[]): Touched {
  const chain_ids = new Set<string>();
  const account_ids = new Set<string>();
  for (const posting of postings) {
    chain_ids.add(posting.chain_id);
    for (const name of accountsOf(posting)) {
      // Such a wallet cannot exist, and the database may refuse its id as text.
      if (isWalletAccount(name) && !isId(name.slice(WALLET_PREFIX.length))) continue;
      account_ids.add(accountIdOf(posting.chain_id, name));
    }
  }
  return { chain_ids: [...chain_ids], account_ids: [...account_ids] };
}

/**
 * SHA-256 (hex) of a posting without its members: distinguishes a repeat from other content under the same id.
 */
export function fingerprintOf(posting: Posting): string {
  const { chain_id, association_id, kind, currency, reference, payer_user_id, savings } = posting;
  const movement =
    'legs' in posting.movement ? { legs: posting.movement.legs.map(plainLeg) } : inOrder(posting.movement);
  // Written in the order of RFC 8785, so that nothing is sorted: with 10 000 legs that took longer than all else here.
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
  return hash('sha256', JSON.stringify(asked), 'hex');
}

function inOrder({ draw: { amount_minor, from, to } }: { draw: Draw }) {
  const funds = ({ cash, emoney }: Draw['from']) => ({ cash, emoney });
  return { draw: { amount_minor, from: funds(from), to: funds(to) } };
}

/** Two legs that move the amount, in minor units; none if it is zero. */
export function legsBetween(from: string, to: string, amount: bigint): Leg[] {
  if (amount === 0n) return [];
  return [
    { account: from, amount_minor: Number(-amount) },
    { account: to, amount_minor: Number(amount) },
  ];
}

/** A leg as it is hashed and shown: without the member. */
export function plainLeg({ account, amount_minor }: TransferLeg): TransferRecord['legs'][number] {
  return { account, amount_minor };
}

/** By how much a posting changes what the account holds as savings, in minor units. */
export function savingsChangeOf({ savings }: Posting, account: string): bigint {
  if (savings === undefined) return 0n;
  if (account === treasuryAccount()) return BigInt(savings.emoney_minor);
  return account === treasuryAccount('cash') ? BigInt(savings.cash_minor) : 0n;
}

/**
 * Checks that a posting is well-formed.
 * @throws RangeError for a posting that is a mistake of ours, not an outcome: nothing is stored for it
 */
export function assertWellFormed(posting: Posting): void {
  const mistake = (what: string) => new RangeError(`Posting ${posting.id} (${posting.kind}): ${what}`);
  const unknown = accountsOf(posting).find((account) => !isAccountOf(posting.chain_id, account));
  if (unknown !== undefined) throw mistake(`${unknown} is not an account of its chain`);
  const objection = savingsObjection(posting);
  if (objection !== undefined) throw mistake(objection);
  if ('draw' in posting.movement) {
    const { amount_minor } = posting.movement.draw;
    if (!Number.isSafeInteger(amount_minor) || amount_minor <= 0) throw mistake('its amount is not above zero');
    return;
  }
  const { legs } = posting.movement;
  if (legs.length < 2 || legs.length > LEGS_MAX) throw mistake('its number of legs is out of range');
  const sums = { emoney: 0n, cash: 0n };
  for (const { account, amount_minor } of legs) {
    if (!Number.isSafeInteger(amount_minor) || amount_minor === 0) throw mistake('a leg moves nothing');
    sums[moneyOf(account)] += BigInt(amount_minor);
  }
  if (sums.emoney !== 0n || sums.cash !== 0n) throw mistake('its legs do not sum to zero in each money');
}

function savingsObjection(posting: Posting): string | undefined {
  if (posting.savings === undefined) return undefined;
  if ('draw' in posting.movement) return 'a draw leaves savings alone';
  for (const [account, amount_minor] of [
    [treasuryAccount(), posting.savings.emoney_minor],
    [treasuryAccount('cash'), posting.savings.cash_minor],
  ] as const) {
    if (!Number.isSafeInteger(amount_minor)) return 'its savings are no safe integers';
    const touched = posting.movement.legs.some((leg) => leg.account === account);
    if (amount_minor !== 0 && !touched) return `no leg moves the savings of ${account}`;
  }
  return undefined;
}
