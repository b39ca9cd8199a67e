import type { Cycle } from '../../../lib/contracts/contribution.ts';
import { completeRules } from '../../../lib/contracts/membership.ts';
import { toMajor } from '../../../lib/money/amount.ts';
import type { CycleRow } from './cycle.table.ts';
import type { Hand } from './rotation.rules.ts';

/**
 * Returns a cycle as clients see it.
 * @param hands the cycle's, in rotation order
 */
export function showCycle(row: CycleRow, hands: readonly Hand[]): Cycle {
  if (row.number === null || row.rounds === null || (row.status !== 'running' && row.status !== 'completed')) {
    throw new Error(`Cycle ${row.id} has not started and must not be shown`);
  }
  return {
    id: row.id,
    association_id: row.association_id,
    number: row.number,
    status: row.status,
    order: row.rotation_order,
    seed: row.seed,
    starts_on: row.starts_on,
    contribution_amount: toMajor(row.contribution_amount_minor, row.currency),
    rules: completeRules(row.rules),
    rules_version: row.rules_version,
    hands: hands.map(({ position, member_id, round }) => ({ position, member_id, round })),
    rounds: row.rounds,
    created_at: row.created_at.toISOString(),
  };
}
