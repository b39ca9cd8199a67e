import type { Sql } from '@association-service/contracts/subscriber';
import { REPLAYS_COUNT_FOR_MS, RETENTION_MS } from '../limits.rules.ts';
import { FAIL_MAX_ROWS, failPendingOfDisabled } from '../sending/attempt.store.ts';
import { PURGE_MAX_ROWS, PURGES } from './purge.store.ts';

/**
 * Gives up what still waits for disabled endpoints: more than the transaction that disabled them could.
 * @param stopping ends it after a batch
 */
export async function giveUpDisabled(db: Pick<Sql, 'run'>, now: Date, stopping: AbortSignal): Promise<void> {
  while (!stopping.aborted && (await failPendingOfDisabled(db, now)) === FAIL_MAX_ROWS);
}

/**
 * Deletes what is older than RETENTION_MS, and what belonged to deleted endpoints; their replays once those
 * count no longer.
 * @param stopping ends it after a batch
 */
export async function purge(db: Pick<Sql, 'run'>, now: Date, stopping: AbortSignal): Promise<void> {
  const ago = (ms: number) => new Date(now.getTime() - ms);
  const times = { expired: ago(RETENTION_MS), uncounted: ago(REPLAYS_COUNT_FOR_MS) };
  for (const remove of PURGES) while (!stopping.aborted && (await remove(db, times)) === PURGE_MAX_ROWS);
}
