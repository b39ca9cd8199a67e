import type { SqlDatabase, SqlTransaction } from '@association-service/contracts/subscriber';
import { PING_TYPE } from '../contracts.ts';
import {
  addReplayed,
  endReplay,
  listRunning,
  lockReplay,
  moveOn,
  scanEvents,
  type LockedReplay,
  type ScannedEvent,
} from './replay.store.ts';

/** Events that one transaction reads, whether the endpoint wants them or not: few enough for a short one. */
const PAGE_MAX_EVENTS = 500;

/** While so many deliveries of the endpoint wait, a replay makes no more: new events would have to wait behind all of them. */
const WAITING_MAX_DELIVERIES = 1_000;

export interface ReplayDeps {
  db: Pick<SqlDatabase, 'transaction' | 'rows'>;
  clock: () => Date;
  newId: () => string;
  reached: (step: string) => Promise<void>;
  wake: (webhook_ids: readonly string[]) => void;
}

/**
 * Makes the deliveries of all replays that are running, page by page, and one page of each in turn.
 * @param stopping ends it after a page
 * @throws Error if replays have failed, after the others have ended: the next run goes on with them
 */
export async function runReplays(deps: ReplayDeps, stopping: AbortSignal): Promise<void> {
  const failures = new Map<string, unknown>();
  let hasMore = true;
  while (hasMore) {
    hasMore = false;
    for (const id of await listRunning(deps.db)) {
      if (stopping.aborted) return;
      if (failures.has(id)) continue;
      try {
        if (await runPage(deps, id)) hasMore = true;
        await deps.reached('webhooks.replay.page');
      } catch (error) {
        failures.set(id, error);
      }
    }
  }
  for (const [id, cause] of failures) throw new Error(`the replay ${id} has failed`, { cause });
}

/** @returns whether the replay can go on at once */
function runPage(deps: ReplayDeps, id: string): Promise<boolean> {
  return deps.db.transaction(async (tx) => {
    const replay = await lockReplay(tx, id, WAITING_MAX_DELIVERIES);
    if (replay === undefined) return false;
    if (!replay.is_wanted) {
      await endReplay(tx, id, deps.clock());
      return false;
    }
    if (replay.waiting >= WAITING_MAX_DELIVERIES) return false;
    const events = await scanEvents(tx, replay, PING_TYPE, PAGE_MAX_EVENTS);
    await deliver(deps, tx, replay, events);
    const isDone = events.length < PAGE_MAX_EVENTS;
    if (isDone) await endReplay(tx, id, deps.clock());
    return !isDone;
  });
}

async function deliver(
  { clock, newId, wake }: ReplayDeps,
  tx: SqlTransaction,
  replay: LockedReplay,
  events: readonly ScannedEvent[],
): Promise<void> {
  const last = events.at(-1);
  if (last === undefined) return;
  await moveOn(tx, replay.id, last);
  const event_ids = events.filter(({ is_wanted }) => is_wanted).map(({ id }) => id);
  if (event_ids.length === 0) return;
  const delivery_ids = event_ids.map(() => newId());
  await addReplayed(tx, replay, event_ids, delivery_ids, clock());
  tx.afterCommit(() => wake([replay.webhook_id]));
}
