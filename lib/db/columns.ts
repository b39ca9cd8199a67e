/** Columns of values as parameters, for `unnest`. */

/** The named columns of rows, as arrays for the driver. */
export function columnsOf<Row extends object>(rows: readonly Row[], ...names: (keyof Row)[]): unknown[][] {
  return names.map((name) => rows.map((row) => row[name]));
}

// What follows does what the driver does for any array, without looking at each value.

/** Ids, numbers, hashes, names of accounts, codes: nothing that an array's text would have to quote. */
const PLAIN = /^[\w:/.,-]*$/;

/** Stands between the texts of a column; JSON has it only escaped. */
const SEPARATOR = '\u001f';

/**
 * A column of plain values as the text of an array.
 * @throws RangeError for what would have to be quoted
 */
export function plainColumn(values: readonly (string | bigint | boolean | null)[]): string {
  const text = values.map((value) => value ?? 'NULL').join(',');
  if (!PLAIN.test(text)) throw new RangeError('A value of the column is not plain');
  return `{${text}}`;
}

/** A column of JSON texts, null where there is none; `jsonColumnOf` reads it. */
export function jsonColumn(texts: readonly (string | null)[]): string {
  return texts.join(SEPARATOR);
}

/** The SQL for a parameter made by jsonColumn(). */
export function jsonColumnOf(parameter: `$${number}`): string {
  return `string_to_array(${parameter}::text, E'\\x1f', '')::json[]`;
}
