/** A batch of postings: what goes into it, and how those who asked are answered. */
import type { Decision } from './decide.rules.ts';
import { accountsOf } from './posting.rules.ts';
import type { Outcome, Posting } from './posting.rules.ts';

/** Enough to spread the cost of a flush until it no longer counts; more only makes those at its end wait. */
export const BATCH_MAX_POSTINGS = 1_000;

/** Settlements can be large: this many legs in one statement take some 100 ms. A larger posting goes alone. */
export const BATCH_MAX_LEGS = 20_000;

/** Each chain takes a place in the server's lock table, which has some thousands for all its sessions. */
export const BATCH_MAX_CHAINS = 200;

/** From twice as many on it is worth a second statement to have one half written while the other is decided. */
export const HALF_MIN_POSTINGS = 24;

/** A posting that waits for its outcome. */
export interface Waiting {
  posting: Posting;
  /** From fingerprintOf(). */
  fingerprint: string;
  resolve: (outcome: Outcome) => void;
  reject: (error: Error) => void;
}

/**
 * How many from the head of the queue make the next batch.
 * @param are_writing whether another batch is being written
 */
export function batchSize(queue: readonly Pick<Waiting, 'posting'>[], are_writing: boolean): number {
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

export function postingsOf(batch: readonly Waiting[]): Posting[] {
  return batch.map(({ posting }) => posting);
}

/** Answers each posting with what was decided of it. */
export function answer(batch: readonly Waiting[], decisions: readonly Decision[]): void {
  batch.forEach((waiting, index) => {
    const decision = decisions[index];
    if (decision === undefined) waiting.reject(new Error('A posting was not decided'));
    else if (decision.status === 'mistake') waiting.reject(new RangeError(decision.message));
    else waiting.resolve(decision.status === 'repeat' ? decision.outcome : decision);
  });
}

/** Rejects each: nothing is known of what became of it. */
export function rejectAll(batch: readonly Waiting[], error: unknown): void {
  for (const waiting of batch) waiting.reject(error as Error);
}
