/** Rows as parameters: one array for each column, from which `unnest` makes rows again. */

/** Returns the named columns of rows, as arrays for the driver. */
export function columnsOf<Row extends object>(rows: readonly Row[], ...names: (keyof Row)[]): unknown[][] {
  return names.map((name) => rows.map((row) => row[name]));
}

/** A column of rows, as one parameter of a statement. */
export interface Column<Row> {
  /** Returns the SQL of the array. */
  sqlOf(parameter: string): string;
  /** Returns the value of the parameter. */
  valueOf(rows: readonly Row[]): unknown;
}

/** Columns by their names. */
export type Columns<Row> = Readonly<Record<string, Column<Row>>>;

/** The parameters of a statement, numbered in the order in which its text adds them. */
export class Parameters<Input> {
  readonly #values: ((input: Input) => unknown[])[] = [];
  #count = 0;

  /** Adds a value of an SQL type, and returns its SQL. */
  value(type: string, read: (input: Input) => unknown): string {
    this.#values.push((input) => [read(input)]);
    return `${this.#next()}::${type}`;
  }

  /** Adds rows. @returns the SQL of a table function that returns them, and of the names of its columns */
  rows<Row>(columns: Columns<Row>, read: (input: Input) => readonly Row[]): { source: string; names: string } {
    const all = Object.values(columns);
    this.#values.push((input) => {
      const rows = read(input);
      return all.map((column) => column.valueOf(rows));
    });
    const arrays = all.map((column) => column.sqlOf(this.#next()));
    return { source: `unnest(${arrays.join(', ')})`, names: Object.keys(columns).join(', ') };
  }

  /** Returns the values for one execution of the statement. */
  of(input: Input): unknown[] {
    return this.#values.flatMap((valuesOf) => valuesOf(input));
  }

  #next(): string {
    this.#count += 1;
    return `$${String(this.#count)}`;
  }
}

/** Returns a column of any values of an SQL type. The driver looks at each of them, which takes time. */
export function quoted<Row>(type: string, read: (row: Row) => unknown): Column<Row> {
  return { sqlOf: (parameter) => `${parameter}::${type}[]`, valueOf: (rows) => rows.map(read) };
}

/** Values that need no quotes in an array's text, such as ids, numbers, hashes, account names and codes. */
const PLAIN = /^[\w:/.,-]*$/;

/** Returns a column of values that need no quotes in the text of an array; valueOf() throws RangeError for others. */
export function plain<Row>(type: string, read: (row: Row) => string | bigint | boolean | null): Column<Row> {
  return {
    sqlOf: (parameter) => `${parameter}::${type}[]`,
    valueOf: (rows) => {
      const text = rows.map((row) => read(row) ?? 'NULL').join(',');
      if (!PLAIN.test(text)) throw new RangeError('A value of the column is not plain');
      return `{${text}}`;
    },
  };
}

/** Separates the texts of a column. In JSON it occurs only escaped. */
const SEPARATOR = '\u001f';

/** Returns a column of JSON texts or nulls, which are sent as one text. */
export function json<Row>(read: (row: Row) => string | null): Column<Row> {
  return {
    sqlOf: (parameter) => `string_to_array(${parameter}::text, E'\\x1f', '')::json[]`,
    valueOf: (rows) => rows.map(read).join(SEPARATOR),
  };
}
