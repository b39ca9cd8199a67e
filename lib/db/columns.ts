/** Columns of values as parameters of `unnest`. */

/** The named columns of rows, as arrays for the driver. */
export function columnsOf<Row extends object>(rows: readonly Row[], ...names: (keyof Row)[]): unknown[][] {
  return names.map((name) => rows.map((row) => row[name]));
}

// The functions below are faster than the driver, which looks at each value of an array.

/** Ids, numbers, hashes, account names, codes: values that need no quotes in an array's text. */
const PLAIN = /^[\w:/.,-]*$/;

/** Separates the texts of a column. In JSON it occurs only escaped. */
const SEPARATOR = '\u001f';

/**
 * A column of plain values as the text of an array.
 * @throws RangeError if a value needs quotes
 */
export function plainColumn(values: readonly (string | bigint | boolean | null)[]): string {
  const text = values.map((value) => value ?? 'NULL').join(',');
  if (!PLAIN.test(text)) throw new RangeError('A value of the column is not plain');
  return `{${text}}`;
}

/** A column of JSON texts or nulls as one text. `jsonColumnOf` is the SQL that reads it. */
export function jsonColumn(texts: readonly (string | null)[]): string {
  return texts.join(SEPARATOR);
}

/** The SQL for a parameter made by jsonColumn(). */
export function jsonColumnOf(parameter: `$${number}`): string {
  return `string_to_array(${parameter}::text, E'\\x1f', '')::json[]`;
}
