import type { EntityManager } from 'typeorm';
import type { Sql, SqlPool, SqlSession, SqlTransaction } from './sql.ts';

export type { Statement } from './sql.ts';

/**
 * Runs SQL on a service's database, and has TypeORM on the same connection. ADR 20 says what goes through `orm` and what is
 * SQL.
 */
export interface Db extends Sql {
  readonly orm: EntityManager;
}

/** One transaction on one connection. */
export interface Transaction extends Db, SqlTransaction {}

/** One connection, for statements that must be sent in order, or whose caller must notice when it ends. */
export type Session = SqlSession<Db>;

/** A pool of connections to one database. */
export interface Pool extends Db, SqlPool<Db> {}
