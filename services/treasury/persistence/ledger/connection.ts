import type pg from 'pg';
import { openBatchPool } from '../../../../lib/persistence/batch-pool.ts';

/** One batch is posted at a time; the second replaces a connection that is just being closed. */
const CONNECTIONS_MAX = 2;

/** The connections of a ledger writer. */
export function openLedgerPool(url: string): pg.Pool {
  return openBatchPool(url, CONNECTIONS_MAX);
}
