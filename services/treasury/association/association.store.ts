import type { EntityManager } from 'typeorm';
import type { Remains } from '../../../lib/contracts/approvals.ts';
import { CASH_DEPOSIT_OVER, CASH_DEPOSIT_UNDECIDED } from '../cash/cash-deposit.rules.ts';
import { DISTRIBUTION_OVER, DISTRIBUTION_UNDECIDED } from '../distributions/distribution.rules.ts';

/**
 * Whether all accounts of the association are at zero and all its requests are over. Requests that are not accepted yet
 * count for themselves: a closure that failed for them, while they are refused for the closure, would leave neither.
 */
export async function remainsOf(manager: EntityManager, association_id: string): Promise<Remains> {
  const [found]: { remains: Remains }[] = await manager.query(
    `WITH open_requests AS (
       SELECT status = ANY($3) AS undecided FROM cash_deposits WHERE association_id = $1 AND status <> ALL($2)
       UNION ALL
       SELECT status = ANY($5) FROM distributions WHERE association_id = $1 AND status <> ALL($4))
     SELECT CASE
       WHEN EXISTS (SELECT FROM accounts WHERE association_id = $1 AND balance <> 0)
         OR EXISTS (SELECT FROM open_requests WHERE NOT undecided) THEN 'something'
       WHEN EXISTS (SELECT FROM open_requests) THEN 'undecided'
       ELSE 'nothing' END AS remains`,
    [association_id, CASH_DEPOSIT_OVER, CASH_DEPOSIT_UNDECIDED, DISTRIBUTION_OVER, DISTRIBUTION_UNDECIDED],
  );
  return found?.remains ?? 'something';
}
