import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { KEY_PLANNING } from '../../lib/db/pool-settings.ts';
import { CURRENCY } from '../harness/filled-group.ts';
import { AMOUNT_MINOR, type HotLedger } from '../harness/hot-ledger.ts';

const ULID_DIR = join('vendor', 'scoville-pgsql-ulid');
/** Its ids are ULIDs, which functions of another project create. */
const FILES = [join(ULID_DIR, 'ulid-to-uuid.sql'), join(ULID_DIR, 'uuid-to-ulid.sql'), 'pgledger.sql'];

const TRANSFER = { name: 'pgledger.transfer', text: 'SELECT * FROM pgledger_create_transfer($1, $2, $3)' };

export interface PgledgerOptions {
  /** Directory with a copy of its repository. */
  dir: string;
  accounts: number;
  /** Maximum number of concurrent transactions; others wait for a connection. */
  connections: number;
}

/**
 * Opens pgledger in an empty database, with transfers from many accounts to one account as in its own benchmark. It
 * has no ids of the caller, no chain and no events.
 */
export async function pgledger(url: string, { dir, accounts, connections }: PgledgerOptions): Promise<HotLedger> {
  // The plans of its functions would otherwise be made while its tables are small, and kept while they grow.
  const pool = new pg.Pool({ connectionString: url, max: connections, options: KEY_PLANNING });
  // A lost connection fails its transfer. Without a listener it would also end the process.
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
