/** The rows with which the databases are filled. */

/** Number of rows of each list: many more than one read may read. */
export const ROWS = 5_000;

/** Half of them: of what a list shows first, the rows have other values than those that it shows last. */
export const HALF = ROWS / 2;

/** Number of members of the cycle, and of members who have paid for a meeting. */
export const MEMBERS = 1_000;

/** The association that is filled, and its president, who reads it. */
export interface Filled {
  association_id: string;
  member_id: string;
  user_id: string;
  wallet_id: string;
}

/** Returns the statements that fill the tables of one service. Each list has a kind of row that only its last page has. */
export type Filling = (filled: Filled) => string[];

/** Returns the id of the row with this number, as nth() does in SQL. */
export function nthId(number: number): string {
  return `01900000-0000-7000-8000-${number.toString(16).padStart(12, '0')}`;
}

/** Number of rows of the newest association of the user with many: several times as many as a read may read, and no more. */
export const MANY = 200;
/** The id of this association, and SQL of the user's member id in the association with a number. */
export const NEWEST_JOINED = nthId(ROWS);
export const joinerIn = (number: string): string => `pg_temp.nth(${String(ROWS)} + ${number})`;

/** Creates the functions for the ids and the times of rows: a higher number is newer. */
export const FUNCTIONS = `
  CREATE FUNCTION pg_temp.nth(n integer) RETURNS uuid LANGUAGE sql IMMUTABLE AS
    $$ SELECT ('01900000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid $$;
  CREATE FUNCTION pg_temp.at(n integer) RETURNS timestamptz LANGUAGE sql IMMUTABLE AS
    $$ SELECT '2024-01-01T00:00:00Z'::timestamptz + n * interval '1 minute' $$;`;
