/** Counts the rows that PostgreSQL reads for a statement, by table. */
import pg from 'pg';
import type { CountedStatement } from '../../harness/counted-services.ts';

/** The number of rows that were read, by the name of the table. */
export type RowsRead = Map<string, number>;

/** A node of a plan that was executed. Numbers of rows are averages per loop. */
interface PlanNode {
  'Node Type': string;
  'Relation Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  'Rows Removed by Index Recheck'?: number;
  Plans?: PlanNode[];
}

interface Explained {
  'QUERY PLAN': [{ Plan: PlanNode }];
}

const EXPLAIN = 'EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON)';

/**
 * Executes the statement again, and returns the rows that it reads with its worst plan: a session plans a named statement for
 * its values at first, and may later keep a plan for any values.
 */
export async function rowsReadBy(client: pg.Client, { text, values, name }: CountedStatement): Promise<RowsRead> {
  const planned = await client.query<Explained>(`${EXPLAIN} ${text}`, [...values]);
  const read = rowsOf(planned.rows);
  if (name === undefined) return read;
  await client.query(`SET plan_cache_mode = force_generic_plan; PREPARE named AS ${text}`);
  const literals = values.length === 0 ? '' : `(${values.map(literal).join(', ')})`;
  const kept = await client.query<Explained>(`${EXPLAIN} EXECUTE named${literals}`);
  await client.query('DEALLOCATE named; RESET plan_cache_mode');
  for (const [table, rows] of rowsOf(kept.rows)) read.set(table, Math.max(rows, read.get(table) ?? 0));
  return read;
}

function rowsOf([explained]: Explained[]): RowsRead {
  const read: RowsRead = new Map();
  const count = (node: PlanNode, above?: string): void => {
    // The scan of an index for a bitmap names no table.
    const table = node['Relation Name'] ?? (node['Node Type'].startsWith('Bitmap') ? above : undefined);
    if (table !== undefined) {
      const removed = (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0);
      const rows = (node['Actual Rows'] + removed) * node['Actual Loops'];
      read.set(table, Math.round(rows + (read.get(table) ?? 0)));
    }
    for (const child of node.Plans ?? []) count(child, table);
  };
  if (explained === undefined) throw new Error('EXPLAIN returned no plan');
  count(explained['QUERY PLAN'][0].Plan);
  return read;
}

/** Writes a value as EXECUTE takes it: the parameters of a prepared statement have types, so text is enough. */
function literal(value: unknown): string {
  if (value === null || value === undefined) return 'NULL';
  if (value instanceof Date) return pg.escapeLiteral(value.toISOString());
  if (Array.isArray(value)) return pg.escapeLiteral(`{${value.map(element).join(',')}}`);
  return pg.escapeLiteral(textOf(value));
}

function element(value: unknown): string {
  return value === null ? 'NULL' : JSON.stringify(textOf(value));
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : typeof value === 'bigint' ? value.toString() : JSON.stringify(value);
}
