import type { TableService } from '../../lib/config/service-names.ts';
import type { Db, Pool } from '../../lib/db/db.ts';
import type { StreamBus } from '../../lib/events/stream.ts';

/** The four databases, which a check only reads, and the event stream. */
export interface Sources {
  db: Record<TableService, Pool>;
  bus: StreamBus;
}

/** The databases, as pools or as transactions. */
export interface Databases {
  db: Record<TableService, Db>;
}

/** Where a check continues: the key of the last row that it has compared. It is stored as JSON. */
export type Cursor = string | number | readonly (string | number | null)[];

/** Two records that do not agree. */
export interface Difference {
  /** Identifies the records, so that a second look recognizes the difference. */
  key: string;
  /** What differs, in one line: the records with their ids and both values. */
  text: string;
}

/** A part of a check. */
export interface Page {
  /** Where the next page begins; null after the last. */
  next: Cursor | null;
  /** How many records were compared. */
  compared: number;
  differences: Difference[];
}

/** One comparison of records that must agree. Unfinished work is no difference: a check skips it. */
export interface Check {
  name: string;
  /** What is compared, in a few words for people. */
  compares: string;
  /**
   * Whether rows are compared in the order of their UUIDv7 ids, so that a run can begin with the ids since an instant. An
   * incremental run skips the other checks.
   */
  byId: boolean;
  /**
   * Compares the records after a position. Called twice with the same position if it finds differences: only those that
   * remain are reported, as the two sides are read one after the other.
   * @param after null for the beginning
   */
  page(sources: Sources, after: Cursor | null): Promise<Page>;
}

/** A check that reads only the databases. */
export interface DatabaseCheck extends Check {
  page(sources: Databases, after: Cursor | null): Promise<Page>;
}

/** Enough rows to make round trips cheap, and few enough to hold a few columns of each in memory. */
export const PAGE_ROWS = 5_000;

/** The key before every UUID. */
export const FIRST_ID = '00000000-0000-0000-0000-000000000000';
