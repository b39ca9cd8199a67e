/** SQL text. With a name, it is prepared once on each connection; no other statement may have the name. */
export type Statement = string | { readonly name: string; readonly text: string };

/**
 * Runs SQL on a database: on any free connection or, as an `SqlTransaction`, on one connection. If the connections pipeline,
 * statements that are sent without awaiting one another share a round trip.
 */
export interface Sql {
  /** Returns the rows of the statement's result. */
  rows<Row extends object>(statement: Statement, values?: readonly unknown[]): Promise<Row[]>;
  /** Returns the first row; undefined if there is none. */
  first<Row extends object>(statement: Statement, values?: readonly unknown[]): Promise<Row | undefined>;
  /** Runs a write; returns the number of rows that it changed. */
  run(statement: Statement, values?: readonly unknown[]): Promise<number>;
}

/** One transaction on one connection. */
export interface SqlTransaction extends Sql {
  /** Sends a write without waiting for it. If it fails, so does the transaction. */
  send(statement: Statement, values?: readonly unknown[]): void;
  /** Calls back once the transaction is committed. */
  afterCommit(callback: () => void): void;
}

/** The methods that a transaction has in addition to its handle. */
type InTransaction = Pick<SqlTransaction, 'send' | 'afterCommit'>;

/** A pool of connections to one database, with the handle `H`. */
export interface SqlPool<H extends Sql = Sql> extends Sql {
  /** Runs `work` in a transaction: committed when it resolves, rolled back when it throws. */
  transaction<T>(work: (tx: H & InTransaction) => T | Promise<T>): Promise<T>;
  /** Runs `work`, which only reads, on one snapshot of the data. It waits for no other transaction. */
  snapshot<T>(work: (db: H) => Promise<T>): Promise<T>;
  session(): Promise<SqlSession<H>>;
}

/** One connection, for statements that must be sent in order, or whose caller must notice when it ends. */
export type SqlSession<H extends Sql = Sql> = H & {
  /**
   * Returns the connection to the pool.
   * @param isBroken closes the connection instead, which rolls back an open transaction
   */
  end(isBroken?: boolean): void;
};
