/** Builds columns of values, as parameters of `unnest`. */

/** Returns the named columns of rows, as arrays for the driver. */
export function columnsOf<Row extends object>(rows: readonly Row[], ...names: (keyof Row)[]): unknown[][] {
  return names.map((name) => rows.map((row) => row[name]));
}

// The functions below are faster than the driver, which looks at each value of an array.

/** Values that need no quotes in an array's text, such as ids, numbers, hashes, account names and codes. */
const PLAIN = /^[\w:/.,-]*$/;

/** Separates the texts of a column. In JSON it occurs only escaped. */
const SEPARATOR = '\u001f';

/**
 * Returns a column of plain values as the text of an array.
 * @throws RangeError if a value needs quotes
 */
export function plainColumn(values: readonly (string | bigint | boolean | null)[]): string {
  const text = values.map((value) => value ?? 'NULL').join(',');
  if (!PLAIN.test(text)) throw new RangeError('A value of the column is not plain');
  return `{${text}}`;
}

/** Returns a column of JSON texts or nulls as one text, for the SQL from jsonColumnOf(). */
export function jsonColumn(texts: readonly (string | null)[]): string {
  return texts.join(SEPARATOR);
}

/** Returns the SQL that reads a parameter from jsonColumn(). */
export function jsonColumnOf(parameter: `$${number}`): string {
  return `string_to_array(${parameter}::text, E'\\x1f', '')::json[]`;
}
