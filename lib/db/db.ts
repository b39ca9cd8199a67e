import type { EntityManager } from 'typeorm';

/** SQL. With a name it is prepared once on each connection; the name belongs to this statement alone. */
export type Statement = string | { readonly name: string; readonly text: string };

/**
 * Runs SQL on a service's database: on any free connection, or, as a `Transaction`, on one. Statements that are not
 * awaited one after another share a round trip. See ADR 20 for what goes through `orm` and what is SQL.
 */
export interface Db {
  /** The rows that the statement returns. */
  rows<Row extends object>(statement: Statement, values?: readonly unknown[]): Promise<Row[]>;
  /** The first of them. */
  first<Row extends object>(statement: Statement, values?: readonly unknown[]): Promise<Row | undefined>;
  /** Runs a write; gives the number of rows that it changed. */
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

/** A connection of its own, for what has to be sent in order or to be noticed when it ends. */
export interface Session extends Db {
  /** Gives the connection back. @param isBroken ends it instead, which rolls back what it held */
  end(isBroken?: boolean): void;
}

/** A pool of connections to one database. */
export interface Pool extends Db {
  /** Runs `work` in a transaction: committed when it resolves, rolled back when it throws. */
  transaction<T>(work: (tx: Transaction) => T | Promise<T>): Promise<T>;
  /** Runs `work`, which only reads, on the data of one moment. It waits for no other transaction. */
  snapshot<T>(work: (db: Db) => Promise<T>): Promise<T>;
  session(): Promise<Session>;
}
