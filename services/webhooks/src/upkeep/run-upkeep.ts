import type { Sql } from '@association-service/contracts/subscriber';
import { FAIL_MAX_ROWS, failPendingOfDisabled } from '../sending/attempt.store.ts';
import { PURGE_MAX_ROWS, PURGES, RETENTION_MS } from './purge.store.ts';

/** Gives up what still waits for disabled endpoints: more than the transaction that disabled them could. */
export async function giveUpDisabled(db: Pick<Sql, 'run'>, now: Date): Promise<void> {
  while ((await failPendingOfDisabled(db, now)) === FAIL_MAX_ROWS);
}

/** Deletes what is older than RETENTION_MS, and what belonged to deleted endpoints. */
export async function purge(db: Pick<Sql, 'run'>, now: Date): Promise<void> {
  const before = new Date(now.getTime() - RETENTION_MS);
  for (const remove of PURGES) while ((await remove(db, before)) === PURGE_MAX_ROWS);
}
