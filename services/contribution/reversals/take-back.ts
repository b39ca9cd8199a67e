import type { CommandInput } from '../../../lib/contracts/action.ts';
import { checkReversal, takeBack } from '../../../lib/contracts/contribution.ts';
import type { Transaction } from '../../../lib/db/db.ts';
import { problem, type Refusal } from '../../../lib/errors/problem.ts';
import { implementCommand } from '../../../lib/service/implement.ts';
import type { ContributionDeps } from '../deps.ts';
import { findMeeting, shareMeeting } from '../meetings/meeting.store.ts';
import { isOpen, MEETING_STATES } from '../meetings/meeting.table.ts';
import { changePaidBy, claimReversal, endReversal, findPaidBy, lockReversal, TAKE_BACK } from './reversal.store.ts';

/** Checks for a new correction that what its transfer has paid could be taken back. */
export function checkReversalAction({ reads }: ContributionDeps) {
  return implementCommand(checkReversal, async ({ association_id, transfer_id }) => {
    const paid = await findPaidBy(reads, association_id, transfer_id);
    if (paid === undefined) throw problem('not_found');
    const { meeting_id } = paid;
    if (meeting_id === null) return { ok: true };
    const { status } = await findMeeting(reads, { association_id, meeting_id });
    if (!isOpen(status)) throw problem('meeting_not_open');
    return { ok: true };
  });
}

/**
 * Takes back what a transfer has paid, before the ledger reverses it. The first outcome for a correction is kept, so that a
 * late repeat cannot take it back after the correction has ended.
 */
export function takeBackAction({ db, runtime }: ContributionDeps) {
  return implementCommand(takeBack, async (input) => {
    const refusal = await db.transaction((tx) => takeOnce(tx, input));
    await runtime.reached('contribution.taken_back');
    if (refusal !== null) throw problem(refusal.code, refusal.extras);
    return { ok: true };
  });
}

/**
 * @returns the refusal, as throwing it would roll back its record; null if it was taken back
 * @throws service_unavailable if that is possible later
 */
async function takeOnce(
  tx: Transaction,
  { association_id, transfer_id, correction_id }: CommandInput<typeof takeBack>,
): Promise<Refusal | null> {
  const paid = await findPaidBy(tx, association_id, transfer_id);
  if (paid === undefined) throw problem('not_found');
  const { meeting_id } = paid;
  if (!(await claimReversal(tx, { correction_id, association_id, transfer_id, meeting_id }))) {
    const stored = await lockReversal(tx, correction_id);
    if (stored === undefined) throw problem('already_reversed');
    return stored.refusal;
  }
  if (meeting_id !== null && !(await isMeetingOpen(tx, meeting_id))) {
    const refusal: Refusal = { code: 'meeting_not_open', extras: {} };
    await endReversal(tx, correction_id, 'refused', refusal);
    return refusal;
  }
  // A payment that has moved its money is not marked as paid yet.
  if (!(await changePaidBy(tx, paid, TAKE_BACK))) throw problem('service_unavailable');
  return null;
}

/**
 * Whether the meeting is open, and stays open until the transaction ends.
 * @throws service_unavailable while it is being settled, as it may open again
 */
async function isMeetingOpen(tx: Transaction, meeting_id: string): Promise<boolean> {
  const { status } = await shareMeeting(tx, meeting_id);
  if (MEETING_STATES[status].live && !isOpen(status)) throw problem('service_unavailable');
  return isOpen(status);
}
