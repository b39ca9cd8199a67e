/**
 * Instants as text, for lists that only pass them on: for 50 rows, parsing and formatting Dates costs more than all other
 * work on them.
 */

/** Length of `HH:MM:SS.mmm`. */
const TIME_CHARACTERS = 12;

/** Returns the SQL that selects a timestamptz column for instantText(). */
export function instantColumn(name: string): string {
  return `(${name} AT TIME ZONE 'UTC')::text`;
}

/**
 * Returns an instant in RFC 3339 form with milliseconds, in UTC, as Date's toISOString() does.
 * @param stored the text of instantColumn(), `YYYY-MM-DD HH:MM:SS[.ffffff]`: without zeros at the end of a fraction
 */
export function instantText(stored: string): string {
  const time = stored.slice(11);
  const whole = time.length === 8 ? `${time}.` : time;
  return `${stored.slice(0, 10)}T${whole.padEnd(TIME_CHARACTERS, '0').slice(0, TIME_CHARACTERS)}Z`;
}
