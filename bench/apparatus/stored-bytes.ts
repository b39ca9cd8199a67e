/** What is on disk: tables, write-ahead log, the event stream. */
import type pg from 'pg';
import { TABLE_SERVICES } from '../../lib/config/service-names.ts';
import type { TableService } from '../../lib/config/service-names.ts';
import { STREAM } from '../../lib/contracts/events.ts';
import { openBus } from '../../lib/events/bus.ts';
import type { Cluster } from '../../test/harness/cluster.ts';

type Admin = (service: TableService) => pg.Pool;

/** Bytes, and rows as they are counted, not estimated. */
export interface TableSize {
  rows: number;
  heap: number;
  indexes: number;
  /** With its index; values that are too long for a row. */
  toast: number;
}

/** What the stream holds. */
export interface EventsKept {
  count: number;
  bytes: number;
}

/** With the maps of free and visible pages, so that heap, indexes and toast are all of it. */
const SIZES = `
  SELECT relname AS name, pg_table_size(oid) AS table_bytes,
         pg_indexes_size(oid) AS indexes,
         CASE WHEN reltoastrelid = 0 THEN 0 ELSE pg_total_relation_size(reltoastrelid) END AS toast
  FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace`;

interface SizeRow {
  name: string;
  table_bytes: bigint;
  indexes: bigint;
  toast: bigint;
}

/** Every table of the four databases, as `service.table`. */
export async function sizesOf(admin: Admin): Promise<Map<string, TableSize>> {
  const sizes = new Map<string, TableSize>();
  for (const service of TABLE_SERVICES) {
    const pool = admin(service);
    for (const { name, table_bytes, indexes, toast } of (await pool.query<SizeRow>(SIZES)).rows) {
      const { rows } = await pool.query<{ count: bigint }>(`SELECT count(*) FROM ${name}`);
      sizes.set(`${service}.${name}`, {
        rows: Number(rows[0]?.count),
        heap: Number(table_bytes) - Number(toast),
        indexes: Number(indexes),
        toast: Number(toast),
      });
    }
  }
  return sizes;
}

/** Bytes for each row, indexes included, when tables and indexes are rewritten without what is dead in them. */
export async function packedBytes(admin: Admin): Promise<Map<string, number>> {
  for (const service of TABLE_SERVICES) await admin(service).query('VACUUM FULL');
  const sizes = await sizesOf(admin);
  return new Map(
    [...sizes].map(([name, { rows, heap, indexes, toast }]) => [name, (heap + indexes + toast) / Math.max(1, rows)]),
  );
}

/** How many bytes the server has ever written to its log; all databases share it. */
export async function walPosition(pool: pg.Pool): Promise<number> {
  const { rows } = await pool.query<{ at: string }>(`SELECT pg_current_wal_insert_lsn() - '0/0'::pg_lsn AS at`);
  return Number(rows[0]?.at);
}

/** As JetStream counts them: the messages with their headers, as they are in its files. */
export async function eventsKept(cluster: Cluster): Promise<EventsKept> {
  const bus = await openBus(cluster.natsUrl, 'bench');
  try {
    const { state } = await bus.manager.streams.info(STREAM);
    return { count: state.messages, bytes: state.bytes };
  } finally {
    await bus.close();
  }
}

/** How many connections each service has open, whatever they do. */
export async function connectionsByService(pool: pg.Pool): Promise<Map<string, number>> {
  const { rows } = await pool.query<{ role: string; count: bigint }>(
    `SELECT usename AS role, count(*) FROM pg_stat_activity
     WHERE backend_type = 'client backend' AND usename <> current_user GROUP BY usename ORDER BY usename`,
  );
  return new Map(rows.map(({ role, count }) => [role, Number(count)]));
}
