import type { TableService } from '../../lib/config/service-names.ts';
import type { Statement } from '../../lib/db/db.ts';
import { FIRST_ID, PAGE_ROWS, type DatabaseCheck, type Difference } from './check.ts';

/** Rows of one service, each of which has a counterpart with the same id in another database or table. */
export interface Pairs<Row extends { id: string }, Other extends { id: string }> {
  name: string;
  compares: string;
  byId?: boolean;
  from: {
    service: TableService;
    /** Selects at most $2 rows with an id greater than $1, in the order of ids. */
    sql: Statement;
  };
  to: {
    service: TableService;
    /** Selects the counterparts of the ids in $1. */
    sql: Statement;
  };
  /** The ids of a row's counterparts in `to`, if they are not the row's own id. */
  idsIn?: (row: Row) => string[];
  /** Returns what differs; null if the records agree, or the work on them is not finished. */
  differs: (row: Row, find: (id?: string) => Other | undefined) => string | null;
}

/**
 * Builds a check of rows against their counterparts. The rows are read first: what a service has stored as done, its
 * counterpart has stored before.
 */
export function pairs<Row extends { id: string }, Other extends { id: string }>({
  name,
  compares,
  byId = true,
  from,
  to,
  idsIn = (row) => [row.id],
  differs,
}: Pairs<Row, Other>): DatabaseCheck {
  return {
    name,
    compares,
    byId,
    async page({ db }, after) {
      const rows = await db[from.service].rows<Row>(from.sql, [after ?? FIRST_ID, PAGE_ROWS]);
      const ids = [...new Set(rows.flatMap(idsIn))];
      const others = ids.length === 0 ? [] : await db[to.service].rows<Other>(to.sql, [ids]);
      const found = new Map(others.map((other) => [other.id, other]));
      const differences = rows.flatMap((row): Difference[] => {
        const text = differs(row, (id = row.id) => found.get(id));
        return text === null ? [] : [{ key: row.id, text }];
      });
      const next = rows.length < PAGE_ROWS ? null : (rows.at(-1)?.id ?? null);
      return { next, compared: rows.length, differences };
    },
  };
}
