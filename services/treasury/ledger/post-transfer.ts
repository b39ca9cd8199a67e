import { transfer, type TransferRecord } from '../../../lib/contracts/treasury.ts';
import { problem } from '../../../lib/errors/problem.ts';
import { implementCommand } from '../../../lib/service/implement.ts';
import type { TreasuryDeps } from '../deps.ts';
import { associationChain } from './chain.rules.ts';
import type { Outcome } from './posting.rules.ts';

/** Posts a transfer of an association, once for its id. */
export const transferAction = ({ ledger }: TreasuryDeps) =>
  implementCommand(transfer, async ({ legs, association_id, ...rest }) => {
    const chain_id = associationChain(association_id);
    return transferOf(await ledger.post({ ...rest, association_id, chain_id, movement: { legs } }));
  });

/**
 * Returns the posted transfer.
 * @throws the posting's refusal; transfer_conflict
 */
export function transferOf(outcome: Outcome): TransferRecord {
  if (outcome.status === 'posted') return outcome.transfer;
  if (outcome.status === 'conflict') throw problem('transfer_conflict');
  throw problem(outcome.refusal.code, outcome.refusal.extras);
}
