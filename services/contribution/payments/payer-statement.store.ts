/** The statements with which recovery acts for payers, long after their requests (ADR 29). */
import type { Db } from '../../../lib/db/db.ts';
import type { RecurringJob } from '../../../lib/service/recurring-job.ts';
import { PENDING } from './contribution.table.ts';

/** Returns the statement of the payer; undefined for a contribution that a process of 0.1.0 has stored. */
export async function findPayerStatement(db: Db, contribution_id: string): Promise<string | undefined> {
  const row = await db.first<{ statement: string }>(
    'SELECT statement FROM contribution_statements WHERE contribution_id = $1',
    [contribution_id],
  );
  return row?.statement;
}

/** Long enough that one statement deletes many rows: deleting each with its payment would cost every payment. */
const PURGE_EVERY_MS = 60_000;

/** Bounds the time that one statement takes. */
const PURGE_MAX_ROWS = 10_000;

/** Returns the job that deletes the statements of decided contributions. */
export function payerStatementsJob(db: Db): RecurringJob {
  return { name: 'statements of payers', every_ms: PURGE_EVERY_MS, run: () => purgePayerStatements(db) };
}

export async function purgePayerStatements(db: Db): Promise<void> {
  let deleted: number;
  do {
    deleted = await db.run(
      `DELETE FROM contribution_statements WHERE contribution_id IN (
         SELECT s.contribution_id FROM contribution_statements s JOIN contributions c ON c.id = s.contribution_id
         WHERE c.status NOT IN (${PENDING}) LIMIT $1 FOR UPDATE OF s SKIP LOCKED)`,
      [PURGE_MAX_ROWS],
    );
  } while (deleted === PURGE_MAX_ROWS);
}
