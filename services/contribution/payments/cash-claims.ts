import type { EntityManager } from 'typeorm';
import type { ErrorCode } from '../../../lib/errors/codes.ts';
import type { ProblemExtras } from '../../../lib/errors/problem.ts';

/** Why cash was not taken. */
export interface CashRefusal {
  code: ErrorCode;
  extras: ProblemExtras;
}

/**
 * Claims the id of a contribution in cash for the caller's transaction; whoever else claims it waits for its end.
 * @returns false if it was claimed before: the first outcome stands
 */
export async function claimCash(manager: EntityManager, contribution_id: string): Promise<boolean> {
  const rows: unknown[] = await manager.query(
    'INSERT INTO cash_claims (contribution_id) VALUES ($1) ON CONFLICT DO NOTHING RETURNING contribution_id',
    [contribution_id],
  );
  return rows.length > 0;
}

/** Keeps why the claimed cash was not taken. */
export async function keepRefusal(
  manager: EntityManager,
  contribution_id: string,
  refusal: CashRefusal,
): Promise<void> {
  await manager.query('UPDATE cash_claims SET refusal = $2 WHERE contribution_id = $1', [
    contribution_id,
    JSON.stringify(refusal),
  ]);
}

/** Why the cash that was claimed before was not taken; null if it was. */
export async function keptRefusal(manager: EntityManager, contribution_id: string): Promise<CashRefusal | null> {
  const rows: { refusal: CashRefusal | null }[] = await manager.query(
    'SELECT refusal FROM cash_claims WHERE contribution_id = $1',
    [contribution_id],
  );
  return rows[0]?.refusal ?? null;
}
