import type { Db } from '../db/db.ts';
import type { Clock } from '../node/clock.ts';
import { recoveredSagas, unfinishedSagaAge, unfinishedSagas } from '../telemetry/metrics.ts';
import { beforeScrape } from '../telemetry/scrape.ts';
import { sqlList } from './states.ts';

/** In normal operation only the sagas of requests in flight are unfinished. If there are more, the count stops here. */
const UNFINISHED_MAX_ROWS = 1_000;

interface MeasuredSaga {
  name: string;
  table: { name: string };
  steps: object;
  recoverable?: string;
}

interface Unfinished {
  id: string;
  status: string;
  last_attempt_at: Date;
}

/**
 * Counts a saga's unfinished rows at each scrape, and measures their age: the time since this process first found the row in
 * its state, counted from the last attempt at that time. Rows do not record when they reached their state.
 * @returns a function that ends it
 */
export function measureSaga(db: Db, clock: Clock, saga: MeasuredSaga): () => void {
  const { name, table, steps, recoverable = 'true' } = saga;
  const states = Object.keys(steps);
  // Present before the first recovery, from which increase() in Prometheus would otherwise count.
  for (const result of ['completed', 'failed']) recoveredSagas.inc({ saga: name, result }, 0);
  let firstFound = new Map<string, Date>();

  const stop = beforeScrape('sagas', async () => {
    const rows = await db.rows<Unfinished>(
      `SELECT id, status, last_attempt_at FROM ${table.name}
       WHERE status IN (${sqlList(states)}) AND ${recoverable} ORDER BY last_attempt_at LIMIT $1`,
      [UNFINISHED_MAX_ROWS],
    );
    const found = new Map(rows.map((row) => [keyOf(row), firstFound.get(keyOf(row)) ?? row.last_attempt_at]));
    firstFound = found;
    const now_ms = clock().getTime();
    for (const state of states) {
      const inState = rows.filter(({ status }) => status === state);
      const ages_s = inState.map((row) => (now_ms - (found.get(keyOf(row))?.getTime() ?? now_ms)) / 1_000);
      unfinishedSagas.set({ saga: name, state }, inState.length);
      unfinishedSagaAge.set({ saga: name, state }, Math.max(0, ...ages_s));
    }
  });
  return () => {
    stop();
    for (const state of states) {
      unfinishedSagas.remove({ saga: name, state });
      unfinishedSagaAge.remove({ saga: name, state });
    }
  };
}

/** Counts the outcome of one recovery. */
export async function countRecovery(saga: string, recovery: Promise<unknown>): Promise<void> {
  try {
    await recovery;
  } catch (error) {
    recoveredSagas.inc({ saga, result: 'failed' });
    throw error;
  }
  recoveredSagas.inc({ saga, result: 'completed' });
}

function keyOf({ id, status }: Unfinished): string {
  return `${id} ${status}`;
}
