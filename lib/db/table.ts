/** Declares tables: one declaration serves TypeORM, TypeScript and prepared statements that read or write rows by columns. */
import { createHash } from 'node:crypto';
import { EntitySchema, type EntitySchemaColumnOptions } from 'typeorm';
import type { Db, Statement } from './db.ts';

/** A column that holds values of type `T`. */
export interface Column<T> {
  readonly options: EntitySchemaColumnOptions;
  /** Carries the type; absent at run time. */
  readonly value?: T;
}

export const uuid = (): Column<string> => ({ options: { type: 'uuid' } });
export const text = <T extends string = string>(): Column<T> => ({ options: { type: 'text' } });
/** An integer of up to 32 bits. */
export const smallint = (): Column<number> => ({ options: { type: 'smallint' } });
export const integer = (): Column<number> => ({ options: { type: 'integer' } });
/** An integer of 64 bits: money in minor units, and positions. */
export const bigint = (): Column<bigint> => ({ options: { type: 'bigint' } });
export const bool = (): Column<boolean> => ({ options: { type: 'boolean' } });
export const instant = (): Column<Date> => ({ options: { type: 'timestamptz' } });
/** A day, as `YYYY-MM-DD`. */
export const day = (): Column<string> => ({ options: { type: 'date' } });
export const bytes = (): Column<Buffer> => ({ options: { type: 'bytea' } });
export const json = <T>(): Column<T> => ({ options: { type: 'json' } });
export const jsonb = <T>(): Column<T> => ({ options: { type: 'jsonb' } });

/** Makes the column part of the primary key. */
export const key = <T>(column: Column<T>): Column<T> => ({ options: { ...column.options, primary: true } });
/** Allows null in the column. */
export const optional = <T>(column: Column<T>): Column<T | null> => ({
  options: { ...column.options, nullable: true },
});
/** Leaves the column out of reads by TypeORM and by columnList(). */
export const hidden = <T>(column: Column<T>): Column<T> => ({ options: { ...column.options, select: false } });
/** A column of arrays. */
export const list = <T>(column: Column<T>): Column<T[]> => ({ options: { ...column.options, array: true } });

type Columns = Record<string, Column<unknown>>;
type RowOfColumns<C extends Columns> = { [Name in keyof C]: C[Name] extends Column<infer T> ? T : never };

/** A declared table: a TypeORM entity. */
export class Table<Row extends object> extends EntitySchema<Row> {
  readonly name: string;
  readonly columns: readonly { readonly name: string; readonly options: EntitySchemaColumnOptions }[];

  constructor(name: string, columns: Columns) {
    const options = Object.fromEntries(Object.entries(columns).map(([column, each]) => [column, each.options]));
    super({ name, columns: options as EntitySchema<Row>['options']['columns'] });
    this.name = name;
    this.columns = Object.entries(columns).map(([column, each]) => ({ name: column, options: each.options }));
  }
}

/** Declares a table. */
export function table<const C extends Columns>(name: string, columns: C): Table<RowOfColumns<C>> {
  return new Table(name, columns);
}

/** The type of the table's rows. */
export type RowOf<T> = T extends Table<infer Row> ? Row : never;

/**
 * Returns the names of the table's columns for a SELECT or RETURNING. A prepared statement with `*` fails in running processes
 * as soon as a migration adds a column.
 */
export function columnList<Row extends object>({ columns }: Table<Row>, alias?: string): string {
  const read = columns.filter(({ options }) => options.select !== false);
  return read.map(({ name }) => (alias === undefined ? name : `${alias}.${name}`)).join(', ');
}

/** A prepared statement and its values, for `run()`, `first()` or, if the caller does not wait for it, `send()`. */
type Prepared = [statement: Statement, values: unknown[]];

/** Inserts rows: see insertStatement(). */
export async function insertRows<Row extends object>(
  db: Pick<Db, 'run'>,
  table: Table<Row>,
  rows: readonly Partial<Row>[],
): Promise<void> {
  if (rows.length > 0) await db.run(...insertStatement(table, rows));
}

/**
 * Returns the statement that inserts rows, at least one, in their order. Columns that the first row lacks get their defaults.
 * Not for tables with a list() column, whose arrays `unnest` would flatten.
 */
export function insertStatement<Row extends object>(
  { name, columns }: Table<Row>,
  rows: readonly Partial<Row>[],
): Prepared {
  const first = rows[0] ?? {};
  const written = columns.filter((column) => column.name in first);
  const names = written.map((column) => column.name).join(', ');
  const parameters = written.map(({ options }, index) => `$${String(index + 1)}::${String(options.type)}[]`).join(', ');
  const values = written.map((column) => rows.map((row) => valueOf(column.options, row[column.name as keyof Row])));
  return [prepared(name, `INSERT INTO ${name} (${names}) SELECT * FROM unnest(${parameters})`), values];
}

/**
 * Finds a row by the values of columns, which must not be null. As TypeORM's findOneBy(), but prepared: for hot paths.
 */
export async function findRow<Row extends object>(
  db: Pick<Db, 'first'>,
  table: Table<Row>,
  found: Partial<Row>,
): Promise<Row | undefined> {
  const { name, columns } = table;
  const keys = columns.filter((column) => column.name in found).map((column) => column.name);
  const where = keys.map((column, index) => `${column} = $${String(index + 1)}`).join(' AND ');
  return db.first(
    prepared(name, `SELECT ${columnList(table)} FROM ${name} WHERE ${where}`),
    keys.map((column) => found[column as keyof Row]),
  );
}

/**
 * Changes a row if it still has the values with which it was found.
 * @param found the columns that must have these values
 * @returns the changed row; undefined if no row has these values
 */
export async function updateRow<Row extends object>(
  db: Pick<Db, 'first'>,
  table: Table<Row>,
  found: Partial<Row>,
  changes: Partial<Row>,
): Promise<Row | undefined> {
  return db.first(...updateStatement(table, found, changes));
}

/** Returns the statement of updateRow(). */
export function updateStatement<Row extends object>(
  table: Table<Row>,
  found: Partial<Row>,
  changes: Partial<Row>,
): Prepared {
  const { name, columns } = table;
  const values: unknown[] = [];
  const assign = (part: Partial<Row>) =>
    columns
      .filter((column) => column.name in part)
      .map((column) => {
        values.push(valueOf(column.options, part[column.name as keyof Row]));
        return `${column.name} = $${String(values.length)}`;
      });
  const set = assign(changes).join(', ');
  const where = assign(found).join(' AND ');
  return [prepared(name, `UPDATE ${name} SET ${set} WHERE ${where} RETURNING ${columnList(table)}`), values];
}

/** Prepared statements by their texts: one for each place of the code, or set of columns that it names. */
const statements = new Map<string, Statement>();

/**
 * Returns the text as a statement with a name, which is the same in every process: the columns are the same in every call from
 * one place of the code.
 */
export function prepared(table: string, text: string): Statement {
  let statement = statements.get(text);
  if (statement === undefined) {
    // 48 bits are enough for a few hundred texts.
    const hash = createHash('sha256').update(text).digest('hex').slice(0, 12);
    statement = { name: `${table}.${hash}`, text };
    statements.set(text, statement);
  }
  return statement;
}

/**
 * Returns the value as the driver must get it. JSON values are passed as texts: the driver would turn an array of arrays
 * into an array with two dimensions.
 */
function valueOf({ type }: EntitySchemaColumnOptions, value: unknown): unknown {
  return (type === 'json' || type === 'jsonb') && value !== null ? JSON.stringify(value) : value;
}
