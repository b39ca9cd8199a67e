/** What is done now and then: old rows are deleted, and what waits is measured. */
import { pruneMessages } from './messages/messages.store.ts';
import { SENT_KEPT_MS } from './messages/messages.rules.ts';
import { readOldestDue } from './messages/sending.store.ts';
import { pruneOccasions, readOldestOccasion } from './occasions/occasions.store.ts';
import type { Parts } from './parts.ts';
import { pruneCodeRequests } from './preferences/code-requests.store.ts';

/** Deleted at once, so that no statement takes long. */
const PRUNE_ROWS = 1_000;

export async function prune({ db, clock }: Pick<Parts, 'db' | 'clock'>): Promise<void> {
  const now = clock();
  const before = new Date(now.getTime() - SENT_KEPT_MS);
  await pruneCodeRequests(db, now);
  while ((await pruneMessages(db, before, PRUNE_ROWS)) === PRUNE_ROWS);
  while ((await pruneOccasions(db, before, PRUNE_ROWS)) === PRUNE_ROWS);
}

export async function measure({ db, clock, meter }: Pick<Parts, 'db' | 'clock' | 'meter'>): Promise<void> {
  const now = clock();
  const oldest = await Promise.all([readOldestDue(db, now), readOldestOccasion(db, now)]);
  const since_ms = Math.min(now.getTime(), ...oldest.flatMap((each) => each?.getTime() ?? []));
  meter.waiting((now.getTime() - since_ms) / 1_000);
}
