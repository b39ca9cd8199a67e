import type { SqlDatabase, SqlTransaction } from '@association-service/contracts/subscriber';
import { PING_TYPE } from '../contracts.ts';
import {
  addReplayed,
  endReplay,
  findEvents,
  lockNext,
  moveOn,
  type LockedReplay,
  type ReplayedEvent,
} from './replay.store.ts';

/** Few enough for a short transaction. */
const PAGE_MAX_EVENTS = 500;

/** While so many deliveries of the endpoint wait, a replay makes no more: new events would have to wait behind all of them. */
const WAITING_MAX_DELIVERIES = 1_000;

/** Before all ids. */
const FIRST_ID = '00000000-0000-0000-0000-000000000000';

export interface ReplayDeps {
  db: Pick<SqlDatabase, 'transaction'>;
  clock: () => Date;
  newId: () => string;
  reached: (step: string) => Promise<void>;
  wake: (webhook_ids: readonly string[]) => void;
}

/** Makes the deliveries of all replays that are running, page by page, and one page of each in turn. */
export async function runReplays(deps: ReplayDeps): Promise<void> {
  let hasMore = true;
  while (hasMore) {
    hasMore = false;
    for (let after_id: string | undefined = FIRST_ID; after_id !== undefined;) {
      const page: PageResult | undefined = await runPage(deps, after_id);
      if (page?.hasMore === true) hasMore = true;
      after_id = page?.id;
      if (page !== undefined) await deps.reached('webhooks.replay.page');
    }
  }
}

interface PageResult {
  id: string;
  hasMore: boolean;
}

function runPage(deps: ReplayDeps, after_id: string): Promise<PageResult | undefined> {
  return deps.db.transaction(async (tx) => {
    const replay = await lockNext(tx, after_id, WAITING_MAX_DELIVERIES);
    if (replay === undefined) return undefined;
    const { id } = replay;
    if (!replay.is_wanted) {
      await endReplay(tx, id, deps.clock());
      return { id, hasMore: false };
    }
    if (replay.waiting >= WAITING_MAX_DELIVERIES) return { id, hasMore: false };
    const events = await findEvents(tx, replay, PING_TYPE, PAGE_MAX_EVENTS);
    await deliver(deps, tx, replay, events);
    const isDone = events.length < PAGE_MAX_EVENTS;
    if (isDone) await endReplay(tx, id, deps.clock());
    return { id, hasMore: !isDone };
  });
}

async function deliver(
  { clock, newId, wake }: ReplayDeps,
  tx: SqlTransaction,
  replay: LockedReplay,
  events: readonly ReplayedEvent[],
): Promise<void> {
  const last = events.at(-1);
  if (last === undefined) return;
  const delivery_ids = events.map(() => newId());
  await addReplayed(tx, replay, events, delivery_ids, clock());
  await moveOn(tx, replay.id, last);
  tx.afterCommit(() => wake([replay.webhook_id]));
}
