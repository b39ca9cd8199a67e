import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { KEY_PLANNING } from '../../lib/db/pool-settings.ts';
import { CURRENCY } from '../harness/filled-group.ts';
import { AMOUNT_MINOR, type HotLedger } from '../harness/hot-ledger.ts';

const ULID_DIR = join('vendor', 'scoville-pgsql-ulid');
/** Its ids are ULIDs, by functions that it takes from another project. */
const FILES = [join(ULID_DIR, 'ulid-to-uuid.sql'), join(ULID_DIR, 'uuid-to-ulid.sql'), 'pgledger.sql'];

const TRANSFER = { name: 'pgledger.transfer', text: 'SELECT * FROM pgledger_create_transfer($1, $2, $3)' };

export interface PgledgerOptions {
  /** A copy of its repository. */
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
  // A lost connection fails the transfer that is on it; without a listener it would end the process as well.
  pool.on('error', () => undefined);
  for (const file of FILES) await pool.query(await readFile(join(dir, file), 'utf8'));
  const { rows } = await pool.query<{ id: string }>(
    `SELECT (pgledger_create_account('account ' || no, $2)).id FROM generate_series(0, $1::integer) AS no`,
    [accounts, CURRENCY],
  );
  const [hot = '', ...payers] = rows.map(({ id }) => id);
  return {
    name: 'pgledger',
    transfer: async (_id, payer) => void (await pool.query(TRANSFER, [payers[payer], hot, AMOUNT_MINOR])),
    async posted() {
      // An account's version counts its entries.
      const account = await pool.query<{ version: bigint }>('SELECT version FROM pgledger_accounts WHERE id = $1', [
        hot,
      ]);
      return Number(account.rows[0]?.version ?? 0n);
    },
    stop: () => pool.end(),
  };
}
