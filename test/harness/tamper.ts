import type { ClientBase } from 'pg';
import type { TableService } from '../../lib/config/service-names.ts';
import { inDatabase, type Deployment } from './cluster.ts';

/** A change of rows that no service makes. */
export interface Tampering {
  service: TableService;
  table: string;
  /** Selects the rows. */
  where: string;
  /** The changed columns; the rows are deleted if absent. */
  set?: string;
}

/** Changes rows during `work`, past all constraints, and then restores them. @throws Error if there are no such rows */
export async function tampered<T>(
  host: Pick<Deployment, 'adminUrl'>,
  { service, table, where, set }: Tampering,
  work: () => Promise<T>,
): Promise<T> {
  const unchecked = (change: (client: ClientBase) => Promise<unknown>) =>
    inDatabase(host, service, async (client) => {
      await client.query('SET session_replication_role = replica');
      await change(client);
      await client.query('SET session_replication_role = DEFAULT');
    });
  let saved = '[]';
  let areSaved = '';
  await unchecked(async (client) => {
    const { rows } = await client.query<{ row: object }>(`SELECT to_jsonb(t) AS row FROM ${table} t WHERE ${where}`);
    if (rows.length === 0) throw new Error(`${table} has no row where ${where}`);
    saved = JSON.stringify(rows.map(({ row }) => row));
    const key = await primaryKey(client, table);
    areSaved = `(${key}) IN (SELECT ${key} FROM jsonb_populate_recordset(NULL::${table}, $1))`;
    const change = set === undefined ? `DELETE FROM ${table}` : `UPDATE ${table} SET ${set}`;
    await client.query(`${change} WHERE ${areSaved}`, [saved]);
  });
  try {
    return await work();
  } finally {
    await unchecked(async (client) => {
      await client.query(`DELETE FROM ${table} WHERE ${areSaved}`, [saved]);
      const rows = `SELECT * FROM jsonb_populate_recordset(NULL::${table}, $1)`;
      await client.query(`INSERT INTO ${table} OVERRIDING SYSTEM VALUE ${rows}`, [saved]);
    });
  }
}

async function primaryKey(client: ClientBase, table: string): Promise<string> {
  const { rows } = await client.query<{ columns: string }>(
    `SELECT string_agg(a.attname, ', ') AS columns FROM pg_index i
     JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = ANY(i.indkey)
     WHERE i.indrelid = $1::regclass AND i.indisprimary`,
    [table],
  );
  return rows[0]!.columns;
}
