import { savingsOfTransfers } from '../../../lib/contracts/contribution.ts';
import { implementCommand } from '../../../lib/service/implement.ts';
import type { ContributionDeps } from '../deps.ts';
import { readSavingsOfTransfers } from './settlement.store.ts';

/** Returns to the treasury the savings of its transfers, which it does not store. */
export function savingsOfTransfersAction({ reads }: ContributionDeps) {
  return implementCommand(savingsOfTransfers, async ({ association_id, transfer_ids }) => {
    const { emoney_minor, cash_minor } = await readSavingsOfTransfers(reads, association_id, transfer_ids);
    return { emoney_minor: Number(emoney_minor), cash_minor: Number(cash_minor) };
  });
}
