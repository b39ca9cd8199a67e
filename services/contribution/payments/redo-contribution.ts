/** Stores contributions again that a restored database has lost, or has as pending, although the ledger has their transfer. */
import type { Transaction } from '../../../lib/db/db.ts';
import { updateRow } from '../../../lib/db/table.ts';
import { payOff } from '../arrears/arrears.rules.ts';
import { insertArrearsPayment, lockArrearsFromMeeting, payArrears } from '../arrears/arrears.store.ts';
import type { MeetingRow } from '../meetings/meeting.table.ts';
import { unpaidMove } from './contribution.saga.ts';
import { claimCash, findDueRefusal, withMetadata } from './contribution.store.ts';
import { contributions, type ContributionRow, type DescribedContribution } from './contribution.table.ts';
import { markPaidOn, takeDue, type NewContribution } from './payment.store.ts';

/** Finds a contribution. */
export async function findContribution(tx: Transaction, id: string): Promise<DescribedContribution | undefined> {
  const row = await tx.first<ContributionRow>('SELECT * FROM contributions WHERE id = $1', [id]);
  return row && withMetadata(tx, row);
}

/**
 * Takes the due of a lost contribution to a pool and stores it as pending.
 * @returns the code of the refusal, with nothing changed; null if it is stored
 */
export async function redoTaking(
  tx: Transaction,
  lost: NewContribution & { currency: string },
): Promise<string | null> {
  const meeting = await tx.first<MeetingRow>('SELECT * FROM meetings WHERE id = $1', [lost.meeting_id]);
  if (meeting === undefined) return 'not_found';
  const { outstanding_minor, meeting_status } = await takeDue(tx, lost);
  if (outstanding_minor === null) return (await findDueRefusal(tx, lost, meeting_status)).code;
  // A repeat of the treasury's request finds that the due is taken.
  if (lost.wallet_id === null) await claimCash(tx, lost.id);
  return null;
}

/** Marks a pending contribution to a pool as paid, without an event. */
export async function redoPaying(tx: Transaction, id: string, decided_at: Date): Promise<void> {
  await markPaidOn(tx, [{ id, events: [] }], decided_at);
}

/** Marks a pending contribution as failed, and gives back what it took, without an event. */
export async function redoFailing(
  tx: Transaction,
  row: DescribedContribution,
  code: string,
  decided_at: Date,
): Promise<void> {
  const { to, set, also } = unpaidMove(row, 'failed', code, decided_at);
  const failed = await updateRow(tx, contributions, { id: row.id, status: row.status }, { status: to, ...set });
  if (failed !== undefined) await also?.(tx, failed);
}

/** What a lost payment of arrears paid to each creditor, in order. */
export interface Received {
  wallet_id: string;
  amount_minor: bigint;
}

/**
 * Stores a lost payment of arrears as paid, without an event.
 * @returns the code of the refusal, with nothing changed; null if it is stored
 */
export async function redoArrearsPayment(
  tx: Transaction,
  lost: ContributionRow,
  received: readonly Received[],
): Promise<string | null> {
  const open = await lockArrearsFromMeeting(tx, lost.meeting_id, lost.member_id);
  if (open === undefined) return 'meeting_not_open';
  const parts = payOff(lost.amount_minor, open).map((part, index) => {
    return { ...part, wallet_id: received[index]?.wallet_id ?? null };
  });
  const agrees = (index: number) => parts[index]?.amount_minor === received[index]?.amount_minor;
  if (parts.length !== received.length || !received.every((_, index) => agrees(index)))
    return 'contribution_exceeds_due';
  await insertArrearsPayment(tx, { ...lost, status: 'pending', decided_at: null }, parts);
  await payArrears(tx, { ...lost, status: 'pending' }, lost.decided_at ?? lost.created_at);
  return null;
}
