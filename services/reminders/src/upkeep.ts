/** What is done now and then: old rows are deleted, and what waits is measured. */
import { pruneFormer, readOldestUnplanned } from './groups/groups.store.ts';
import { pruneCounts } from './messages/counts.store.ts';
import { pruneMessages } from './messages/messages.store.ts';
import { KEPT_MS } from './messages/messages.rules.ts';
import { readOldestDue } from './messages/sending.store.ts';
import { pruneOccasions, readOldestOccasion } from './occasions/occasions.store.ts';
import type { Parts } from './parts.ts';
import { pruneCodeRequests } from './preferences/code-requests.store.ts';

/** Deleted at once, so that no statement takes long. */
const PRUNE_ROWS = 1_000;

/** Deletes what is older than it may be kept, until `stopping` is aborted. */
export async function prune({ db, clock }: Pick<Parts, 'db' | 'clock'>, stopping: AbortSignal): Promise<void> {
  const now = clock();
  const before = new Date(now.getTime() - KEPT_MS);
  await pruneCodeRequests(db, now);
  await pruneCounts(db, now);
  for (const pruneSome of [pruneMessages, pruneOccasions, pruneFormer]) {
    while (!stopping.aborted && (await pruneSome(db, before, PRUNE_ROWS)) === PRUNE_ROWS);
  }
}

/** Returns for how long the oldest message, occasion or unplanned meeting waits that should have been handled; 0 if none does. */
export async function readOldestAgeSeconds({ db, clock }: Pick<Parts, 'db' | 'clock'>): Promise<number> {
  const now = clock();
  const oldest = await Promise.all([readOldestDue(db, now), readOldestOccasion(db, now), readOldestUnplanned(db)]);
  const since_ms = Math.min(now.getTime(), ...oldest.flatMap((each) => each?.getTime() ?? []));
  return (now.getTime() - since_ms) / 1_000;
}
