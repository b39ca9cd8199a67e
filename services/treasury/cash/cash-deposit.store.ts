import type { Db } from '../../../lib/db/db.ts';
import { findRow } from '../../../lib/db/table.ts';
import { cashDeposits, type CashDeposit, type CashDepositState } from './cash-deposit.table.ts';

/** Selects the cash deposits of an association, or of one of its members. */
export interface CashDepositFilter {
  association_id: string;
  member_id: string | undefined;
  states: readonly CashDepositState[];
}

/**
 * Lists cash deposits, newest first.
 * @param before the id of a deposit: only older ones are listed, as UUIDv7 ids sort by creation
 */
export function listByState(
  db: Db,
  { association_id, member_id, states }: CashDepositFilter,
  before: string | null,
  limit: number,
): Promise<CashDeposit[]> {
  const ofMember = member_id === undefined ? '' : 'AND member_id = $5';
  // A page of each state. Only the indexes by state have this order and find this position, so that no other row is read.
  return db.rows(
    `SELECT page.* FROM unnest($2::text[]) AS wanted (status) CROSS JOIN LATERAL (
       SELECT * FROM cash_deposits
       WHERE association_id = $1 ${ofMember} AND cash_deposits.status = wanted.status
         AND ($3::uuid IS NULL OR (cash_deposits.status, id) < (wanted.status, $3))
       ORDER BY id DESC NULLS LAST LIMIT $4
     ) AS page
     ORDER BY id DESC LIMIT $4`,
    [association_id, states, before, limit, ...(member_id === undefined ? [] : [member_id])],
  );
}

/** Finds the cash deposit of a transfer, which has its id. */
export async function findDeposit(db: Db, transfer_id: string): Promise<CashDeposit> {
  const deposit = await findRow(db, cashDeposits, { id: transfer_id });
  if (deposit === undefined) throw new Error(`Transfer ${transfer_id} is of no cash deposit`);
  return deposit;
}
