import type { EntityManager } from 'typeorm';
import { CASH_DEPOSIT_OBLIGES } from '../cash/cash-deposit.rules.ts';
import { DISTRIBUTION_OBLIGES } from '../distributions/distribution.rules.ts';

/** Whether a cash deposit or distribution of the member is still open. */
export async function hasObligations(
  manager: EntityManager,
  association_id: string,
  member_id: string,
): Promise<boolean> {
  const [row]: { pending: boolean }[] = await manager.query(
    `SELECT EXISTS (SELECT FROM cash_deposits
                    WHERE association_id = $1 AND member_id = $2 AND status = ANY($3))
         OR EXISTS (SELECT FROM distributions
                    WHERE association_id = $1 AND beneficiary_member_id = $2 AND status = ANY($4)) AS pending`,
    [association_id, member_id, CASH_DEPOSIT_OBLIGES, DISTRIBUTION_OBLIGES],
  );
  return row?.pending === true;
}
