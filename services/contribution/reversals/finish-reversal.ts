import { finishReversal } from '../../../lib/contracts/contribution.ts';
import type { Transaction } from '../../../lib/db/db.ts';
import { problem } from '../../../lib/errors/problem.ts';
import { implementCommand } from '../../../lib/service/implement.ts';
import type { ContributionDeps } from '../deps.ts';
import { repeatLateCheck } from '../meetings/late-check.store.ts';
import { shareMeeting } from '../meetings/meeting.store.ts';
import { changePaidBy, endReversal, findPaidBy, lockReversal, RESTORE, REVERSE } from './reversal.store.ts';

/**
 * Ends a reversal as the ledger has decided: what was taken back is reversed, and its due or fine is open again, or it counts as
 * before. A repeat changes nothing.
 */
export function finishReversalAction({ db, runtime }: ContributionDeps) {
  return implementCommand(finishReversal, async ({ association_id, correction_id, reversed }) => {
    await db.transaction((tx) => finish(tx, association_id, correction_id, reversed));
    await runtime.reached('contribution.reversal_finished');
    return { ok: true };
  });
}

async function finish(
  tx: Transaction,
  association_id: string,
  correction_id: string,
  isReversed: boolean,
): Promise<void> {
  const reversal = await lockReversal(tx, correction_id);
  if (reversal?.association_id !== association_id) throw problem('not_found');
  const end = isReversed ? 'reversed' : 'restored';
  if (reversal.status === end) return;
  if (reversal.status !== 'taken') throw new Error(`Reversal ${correction_id} is ${reversal.status}, not taken`);
  const paid = await findPaidBy(tx, association_id, reversal.transfer_id);
  if (paid === undefined) throw new Error(`Transfer ${reversal.transfer_id} has paid nothing that is still stored`);
  // Locked before the dues, as by all others.
  const meeting = paid.meeting_id === null ? null : await shareMeeting(tx, paid.meeting_id);
  if (!(await changePaidBy(tx, paid, isReversed ? REVERSE : RESTORE))) {
    throw new Error(`What transfer ${reversal.transfer_id} has paid is not taken back`);
  }
  await endReversal(tx, correction_id, end);
  // The due is outstanding again, and may be late.
  if (isReversed && meeting !== null && meeting.cycle_id !== null) repeatLateCheck(tx, meeting.id);
}
