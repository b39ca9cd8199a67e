/**
 * What runs SQL. A function asks for the least that does for it:
 * - `Connection` for prepared statements, as on hot paths: the caller's transaction, or the pool by connectionOf();
 * - `Reader` for a query that is seldom needed: the caller's transaction, or TypeORM's manager;
 * - `Statements` for a write in whatever the caller has, pg's pool and clients too; rowsOf() reads what it returns;
 * - `Transaction` where it matters that all of it is one.
 */

/** A prepared statement, by a name that no other statement of the service has. */
export interface Statement {
  readonly name: string;
  readonly text: string;
}

/** What runs statements: the pool, or a transaction, where those that nobody awaits in between share a round trip. */
export interface Connection {
  rows<Row extends object>(statement: Statement, values: unknown[]): Promise<Row[]>;
}

/** What runs a query that is seldom needed and therefore not prepared: a transaction, or TypeORM's manager. */
export interface Reader {
  query<Rows>(sql: string, parameters?: unknown[]): Promise<Rows>;
}

/** Whatever runs a statement in the caller's transaction: TypeORM's EntityManager or a pg client. */
export interface Statements {
  query(sql: string, parameters?: unknown[]): Promise<unknown>;
}

/** A transaction on one connection. */
export interface Transaction extends Connection, Reader {
  /** Takes writes whose results nobody needs: they travel with the commit, and if one fails, so does that. */
  readonly closing: Statements & { write(statement: Statement, values: unknown[]): void };
}
