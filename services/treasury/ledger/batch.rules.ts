/** A batch of postings: its size, its decisions, and the changes they make. */
import type { TransferRecord } from '../../../lib/contracts/treasury.ts';
import type { Refusal } from '../../../lib/errors/problem.ts';
import { decide, type Account, type ChainHead, type Decision, type Entry, type LedgerView } from './decide.rules.ts';
import { accountsOf, plainLeg, type Posting, type Touched } from './posting.rules.ts';

/** Makes the cost of a flush for each posting negligible. A larger batch would only delay its last postings. */
export const BATCH_MAX_POSTINGS = 1_000;

/** One statement writes this many legs in about 100 ms. A larger posting, such as a settlement, has its own batch. */
export const BATCH_MAX_LEGS = 20_000;

/** Each chain takes one of the server's locks. The server has a few thousand for all sessions. */
export const BATCH_MAX_CHAINS = 200;

/**
 * A queue of twice this size is halved. One half is then written while the other is decided, which is worth a second
 * statement.
 */
export const HALF_MIN_POSTINGS = 24;

/** A posting, and the fingerprint that distinguishes it from other content under its id. */
export interface FingerprintedPosting {
  posting: Posting;
  /** From fingerprintOf(). */
  fingerprint: string;
}

/** A new row of `transfers`: a posted transfer with its place in the chain, or a refusal. */
export interface NewTransfer extends FingerprintedPosting {
  legs: TransferRecord['legs'];
  /** Null if the posting was refused. */
  place: Pick<TransferRecord, 'seq' | 'prev_hash' | 'hash'> | null;
  refusal: Refusal | null;
}

/** The changes that a batch makes. */
export interface Changes {
  /** RFC 3339 in UTC with milliseconds. */
  posted_at: string;
  transfers: NewTransfer[];
  entries: Entry[];
  /** The accounts and chains as they are after the batch. */
  accounts: Account[];
  chains: ChainHead[];
  /** The posted transfers, in order. */
  posted: TransferRecord[];
}

/**
 * Returns how many postings from the head of the queue form the next batch.
 * @param are_writing whether another batch is being written
 */
export function batchSize(queue: readonly Pick<FingerprintedPosting, 'posting'>[], are_writing: boolean): number {
  const isHalved = !are_writing && queue.length >= 2 * HALF_MIN_POSTINGS;
  const size_max = Math.min(isHalved ? Math.ceil(queue.length / 2) : queue.length, BATCH_MAX_POSTINGS);
  let legs = 0;
  let size = 0;
  const chains = new Set<string>();
  for (const { posting } of queue) {
    legs += accountsOf(posting).length;
    chains.add(posting.chain_id);
    if (size === size_max || chains.size > BATCH_MAX_CHAINS) break;
    if (size > 0 && legs > BATCH_MAX_LEGS) break;
    size += 1;
  }
  return size;
}

/**
 * Decides the postings one after another, and updates the view.
 * @param posted_at RFC 3339 in UTC with milliseconds
 * @returns the decisions in the order of the postings, and their changes; undefined if there are none
 */
export function decideBatch(
  batch: readonly FingerprintedPosting[],
  view: LedgerView,
  posted_at: string,
): { decisions: Decision[]; changes: Changes | undefined } {
  const transfers: NewTransfer[] = [];
  const entries: Entry[] = [];
  const posted: TransferRecord[] = [];
  const chain_ids = new Set<string>();
  const decisions = batch.map(({ posting, fingerprint }) => {
    const decision = decide(view, posting, fingerprint, posted_at);
    if (decision.status === 'refused') {
      const legs = 'legs' in posting.movement ? posting.movement.legs.map(plainLeg) : [];
      transfers.push({ posting, fingerprint, legs, place: null, refusal: decision.refusal });
    } else if (decision.status === 'posted') {
      const { transfer } = decision;
      transfers.push({ posting, fingerprint, legs: transfer.legs, place: transfer, refusal: null });
      entries.push(...decision.entries);
      posted.push(transfer);
      chain_ids.add(posting.chain_id);
    }
    return decision;
  });
  if (transfers.length === 0) return { decisions, changes: undefined };
  const account_ids = new Set(entries.map((entry) => entry.account.account_id));
  const accounts = statesOf(view.accounts, account_ids);
  const chains = statesOf(view.chains, chain_ids);
  return { decisions, changes: { posted_at, transfers, entries, accounts, chains, posted } };
}

function statesOf<T>(states: ReadonlyMap<string, T>, keys: ReadonlySet<string>): T[] {
  return [...keys].flatMap((key) => states.get(key) ?? []);
}

/**
 * The state by which a batch was decided. The batch is written only if the database has the same state.
 * Positions are not enough, because another process may have written other transfers at the same positions. So chains
 * are compared by the hash of their head, which covers their history. Accounts may be wallets that other chains move
 * too, so they are compared by entries, balance and savings (all zero for a missing account). Decisions depend on no
 * other values that can change.
 */
export interface Expected {
  chains: Pick<ChainHead, 'chain_id' | 'hash'>[];
  accounts: Pick<Account, 'account_id' | 'entry_count' | 'balance' | 'savings'>[];
}

/** Returns the state of a view. Must be called before a posting is decided on the view. */
export function expectedOf(view: LedgerView, { account_ids }: Touched): Expected {
  const chains = [...view.chains.values()].map(({ chain_id, hash }) => ({ chain_id, hash }));
  const accounts = account_ids.map((account_id) => {
    const { entry_count = 0n, balance = 0n, savings = 0n } = view.accounts.get(account_id) ?? {};
    return { account_id, entry_count, balance, savings };
  });
  return { chains, accounts };
}
