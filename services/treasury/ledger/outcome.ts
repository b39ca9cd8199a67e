import type { TransferRecord } from '../../../lib/contracts/treasury.ts';
import { problem } from '../../../lib/errors/problem.ts';
import type { Outcome } from './posting.rules.ts';

/**
 * The transfer that was posted.
 * @throws the refusal that stands for it, or `transfer_conflict`
 */
export function transferOf(outcome: Outcome): TransferRecord {
  if (outcome.status === 'posted') return outcome.transfer;
  if (outcome.status === 'conflict') throw problem('transfer_conflict');
  throw problem(outcome.refusal.code, outcome.refusal.extras);
}
