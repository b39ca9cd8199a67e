import type { Catalogue } from './catalogue.ts';

/** Tables with one row, or a few. */
const SMALL_TABLES = new Set(['outbox_lease', 'cursor_keys', 'pin_pepper', 'migrations']);

const CREATES_INDEX =
  /\bCREATE\s+(?:UNIQUE\s+)?INDEX\s+(?<concurrently>CONCURRENTLY\b)?.*?\bON\s+(?:ONLY\s+)?"?(?<table>\w+)/is;
const CHANGES_ROWS =
  /^\s*(?:WITH\b.*?\b)?(?:UPDATE|DELETE\s+FROM|TRUNCATE(?:\s+TABLE)?|LOCK(?:\s+TABLE)?)\s+(?:ONLY\s+)?"?(?<table>\w+)/is;

/** Returns a complaint for each statement that keeps others from a table with many rows for as long as it runs. */
export function blockingStatements(sent: readonly string[], before: Catalogue, after: Catalogue): string[] {
  const isLarge = (table: string | undefined): table is string =>
    table !== undefined && before.tables.has(table) && after.tables.has(table) && !SMALL_TABLES.has(table);
  return sent.flatMap((text) => {
    const index = CREATES_INDEX.exec(text)?.groups;
    if (isLarge(index?.['table']) && index['concurrently'] === undefined) {
      return [
        `An index on ${index['table']} blocks its writes until it is built. Use CREATE INDEX CONCURRENTLY after DROP INDEX ` +
          'CONCURRENTLY IF EXISTS, in a migration with `transaction = false`.',
      ];
    }
    const table = CHANGES_ROWS.exec(text)?.groups?.['table'];
    if (!isLarge(table)) return [];
    return [
      `Rows of ${table} are changed or locked in one transaction, which blocks requests that change them. Change them in ` +
        'batches from the service.',
    ];
  });
}
