import type { EntityManager } from 'typeorm';
import { rowsOf } from '../../../lib/db/rows-of.ts';
import { CONTRIBUTION_MOVES } from '../domain/contribution-states.ts';
import { arrearsLeft, decideTaken } from './arrears.ts';
import { ContributionEntity } from './contribution.entity.ts';
import type { ContributionRow } from './contribution.entity.ts';

/** Stores a payment of arrears that is to be made. The caller has taken them in this transaction. */
export async function insertPending(manager: EntityManager, row: ContributionRow): Promise<void> {
  await manager.insert(ContributionEntity, row);
}

/** Counts a payment of arrears whose money has moved; undefined if it was decided before. */
export async function markArrearsPaid(
  manager: EntityManager,
  id: string,
  now: Date,
): Promise<ContributionRow | undefined> {
  return decide(manager, id, now, CONTRIBUTION_MOVES.pay, null);
}

/** Ends a payment of arrears unpaid, so that they may be paid otherwise; undefined if it was decided before. */
export async function giveArrearsBack(
  manager: EntityManager,
  id: string,
  now: Date,
  move: typeof CONTRIBUTION_MOVES.fail | typeof CONTRIBUTION_MOVES.refuse,
  failure_code: string,
): Promise<ContributionRow | undefined> {
  return decide(manager, id, now, move, failure_code);
}

async function decide(
  manager: EntityManager,
  id: string,
  now: Date,
  { from, to }: (typeof CONTRIBUTION_MOVES)[keyof typeof CONTRIBUTION_MOVES],
  failure_code: string | null,
): Promise<ContributionRow | undefined> {
  const [decided] = await rowsOf<ContributionRow>(
    manager,
    `UPDATE contributions SET status = $2, decided_at = $3, failure_code = $4
     WHERE id = $1 AND status = ANY($5) RETURNING *`,
    [id, to, now, failure_code, from],
  );
  if (decided === undefined) return undefined;
  await decideTaken(manager, id, to === CONTRIBUTION_MOVES.pay.to ? 'paid' : 'given_back');
  const outstanding_minor = await arrearsLeft(manager, decided.meeting_id, decided.member_id);
  await manager.query('UPDATE contributions SET outstanding_minor = $2 WHERE id = $1', [id, outstanding_minor]);
  return { ...decided, outstanding_minor };
}
