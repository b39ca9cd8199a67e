import type pg from 'pg';
import { openBatchPool } from '../../../../lib/db/pools.ts';

/** One for the batches, which go one behind the other; one to look up accounts that are not known, meanwhile. */
const CONNECTIONS_MAX = 2;

/** The connections of a ledger writer; `Client` of the database's Availability. */
export function openLedgerPool(url: string, Client?: typeof pg.Client): pg.Pool {
  return openBatchPool(url, CONNECTIONS_MAX, { Client });
}
