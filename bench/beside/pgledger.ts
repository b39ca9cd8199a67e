import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { KEY_PLANNING } from '../../lib/db/pools.ts';
import { AMOUNT_MINOR, CURRENCY } from '../apparatus/amounts.ts';
import type { HotLedger } from '../apparatus/hot-ledger.ts';

/** pgledger's ids are ULIDs, by functions that it takes from another project; its own file needs them first. */
const ULID_FILES = ['ulid-to-uuid.sql', 'uuid-to-ulid.sql'];
const ULID_DIR = join('vendor', 'scoville-pgsql-ulid');
const MAIN_FILE = 'pgledger.sql';

const TRANSFER = { name: 'pgledger.transfer', text: 'SELECT * FROM pgledger_create_transfer($1, $2, $3)' };

export interface PgledgerOptions {
  /** A copy of its repository, or of its SQL files alone. */
  dir: string;
  accounts: number;
  /** How many transactions may be under way; the others wait for a connection. */
  connections: number;
}

/**
 * pgledger in an empty database, taking transfers from many accounts into one as its own benchmark makes them. It has
 * no ids given by the caller, no chain and no events.
 */
export async function pgledger(url: string, { dir, accounts, connections }: PgledgerOptions): Promise<HotLedger> {
  // Its functions' plans, too, are made while its tables are small, and kept while they grow.
  const pool = new pg.Pool({ connectionString: url, max: connections, options: KEY_PLANNING });
  // A connection that is lost fails the transfer that is on it; without a listener it would end the process as well.
  pool.on('error', () => undefined);
  const stop = () => pool.end();
  try {
    for (const file of ULID_FILES) await pool.query(await readEither(join(dir, ULID_DIR, file), join(dir, file)));
    await pool.query(await readFile(join(dir, MAIN_FILE), 'utf8'));
    const { rows } = await pool.query<{ id: string }>(
      `SELECT (pgledger_create_account('account ' || no, $2)).id FROM generate_series(0, $1::integer) AS no`,
      [accounts, CURRENCY],
    );
    const [hot = '', ...payers] = rows.map(({ id }) => id);
    return {
      name: 'pgledger',
      transfer: async (_id, payer) => void (await pool.query(TRANSFER, [payers[payer], hot, AMOUNT_MINOR])),
      posted: () => versionOf(pool, hot),
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function readEither(first: string, second: string): Promise<string> {
  try {
    return await readFile(first, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    return readFile(second, 'utf8');
  }
}

/** An account's version counts its entries. */
async function versionOf(pool: pg.Pool, id: string): Promise<number> {
  const { rows } = await pool.query<{ version: bigint }>('SELECT version FROM pgledger_accounts WHERE id = $1', [id]);
  return Number(rows[0]?.version ?? 0n);
}
