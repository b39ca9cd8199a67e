import type { EntityManager } from 'typeorm';

/** SQL text. With a name, it is prepared once on each connection; no other statement may have the name. */
export type Statement = string | { readonly name: string; readonly text: string };

/**
 * Runs SQL on a service's database: on any free connection or, as a `Transaction`, on one connection. Statements that are
 * sent without awaiting one another share a round trip. ADR 20 says what goes through `orm` and what is SQL.
 */
export interface Db {
  /** Returns the rows of the statement's result. */
  rows<Row extends object>(statement: Statement, values?: readonly unknown[]): Promise<Row[]>;
  /** Returns the first row; undefined if there is none. */
  first<Row extends object>(statement: Statement, values?: readonly unknown[]): Promise<Row | undefined>;
  /** Runs a write; returns the number of rows that it changed. */
  run(statement: Statement, values?: readonly unknown[]): Promise<number>;
  /** TypeORM on the same connection. */
  readonly orm: EntityManager;
}

/** One transaction on one connection. */
export interface Transaction extends Db {
  /** Sends a write without waiting for it. If it fails, so does the transaction. */
  send(statement: Statement, values?: readonly unknown[]): void;
  /** Calls back once the transaction is committed. */
  afterCommit(callback: () => void): void;
}

/** One connection, for statements that must be sent in order, or whose caller must notice when it ends. */
export interface Session extends Db {
  /**
   * Returns the connection to the pool.
   * @param isBroken closes the connection instead, which rolls back an open transaction
   */
  end(isBroken?: boolean): void;
}

/** A pool of connections to one database. */
export interface Pool extends Db {
  /** Runs `work` in a transaction: committed when it resolves, rolled back when it throws. */
  transaction<T>(work: (tx: Transaction) => T | Promise<T>): Promise<T>;
  /** Runs `work`, which only reads, on one snapshot of the data. It waits for no other transaction. */
  snapshot<T>(work: (db: Db) => Promise<T>): Promise<T>;
  session(): Promise<Session>;
}
