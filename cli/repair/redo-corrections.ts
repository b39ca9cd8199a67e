/** Stores corrections again that a restored treasury has lost or has in an earlier state, and what they had undone. */
import { insertRows } from '../../lib/db/table.ts';
import { isErrorCode } from '../../lib/errors/codes.ts';
import { readAmount } from '../../lib/money/amount.ts';
import type { TransferKind } from '../../lib/contracts/treasury.ts';
import type { ApprovalRow } from '../../services/governance/approvals/approval.table.ts';
import {
  changePaidBy,
  claimReversal,
  endReversal,
  findPaidBy,
  lockReversal,
  REVERSE,
  TAKE_BACK,
} from '../../services/contribution/reversals/reversal.store.ts';
import { undoneWith } from '../../services/treasury/corrections/correction.rules.ts';
import { corrections, type Correction } from '../../services/treasury/corrections/correction.table.ts';
import { FIRST_ID, PAGE_ROWS } from '../verify/check.ts';
import type { LostEvent, Repair } from './repair.ts';

const APPROVALS = `SELECT * FROM approvals WHERE id > $1 AND subject_type = 'correction' ORDER BY id LIMIT $2`;

/** Stores corrections again that their approvals remember, and marks those as done whose reversal an event tells. */
export async function redoCorrections(repair: Repair): Promise<void> {
  for (let after = FIRST_ID; ;) {
    const approvals = await repair.tx.governance.rows<ApprovalRow>(APPROVALS, [after, PAGE_ROWS]);
    for (const approval of approvals) await redoCorrection(repair, approval);
    if (approvals.length < PAGE_ROWS) break;
    after = approvals.at(-1)?.id ?? after;
  }
  for (const lost of repair.lost.ofType('transfer.reversed')) await redoEnd(repair, lost);
}

/** The payload of the approval. */
interface Payload {
  transfer_id: string;
  kind: TransferKind;
  amount: number;
  currency: string;
  reason: string;
  member_id: string | null;
}

/** Stores a lost correction as it was decided. One that is approved is executed again, which posts its reversal once. */
async function redoCorrection(repair: Repair, approval: ApprovalRow): Promise<void> {
  const { tx, runtime } = repair;
  const { id: approval_id, subject_id: id, association_id, status: decided, decided_at } = approval;
  if ((await find(repair, id)) !== undefined) return;
  const { amount, currency, transfer_id, kind, reason, member_id } = approval.payload as unknown as Payload;
  const reading = readAmount(amount, currency);
  if (!('minor' in reading)) throw new RangeError(`${String(amount)} is not an amount in ${currency}`);
  const { execution_error: error } = approval;
  const isRejected = decided !== 'pending' && decided !== 'approved';
  const hasFailed = decided === 'approved' && approval.execution_status === 'failed';
  const status = isRejected ? 'rejected' : hasFailed ? 'failed' : 'pending_approval';
  const row: Correction = {
    id,
    association_id,
    transfer_id,
    kind,
    amount: reading.minor,
    currency,
    reason,
    member_id,
    reserve_reversal_id: (await reserveReversalOf(repair, transfer_id)) ?? runtime.newId(),
    status,
    approval_id,
    requested_by_member_id: approval.requested_by_member_id,
    requested_at: approval.requested_at,
    last_attempt_at: runtime.clock(),
    decision: isRejected ? decided : hasFailed ? 'approved' : null,
    decided_at: status === 'pending_approval' ? null : decided_at,
    refusal: hasFailed ? { code: isErrorCode(error) ? error : 'internal_error', extras: {} } : null,
  };
  await insertRows(tx.treasury, corrections, [row]);
  repair.did('corrections', `store correction ${id} of association ${association_id} again as ${status}`);
}

function find({ tx }: Repair, id: string): Promise<Correction | undefined> {
  return tx.treasury.first<Correction>('SELECT * FROM corrections WHERE id = $1', [id]);
}

/** The reversal of a distribution's reserve that the ledger has, so that it is not posted twice. */
async function reserveReversalOf({ tx }: Repair, payment_id: string): Promise<string | undefined> {
  const row = await tx.treasury.first<{ id: string }>(
    `SELECT t.id FROM distributions d JOIN transfers t ON t.chain_id = d.association_id::text
       AND t.kind = 'reversal' AND t.reference = d.id::text AND t.seq IS NOT NULL
     WHERE d.closing_transfer_id = $1`,
    [payment_id],
  );
  return row?.id;
}

/** Marks a correction as done, and the treasury's own record as reversed, as the lost event says. */
async function redoEnd(repair: Repair, lost: LostEvent<'transfer.reversed'>): Promise<void> {
  const { tx } = repair;
  const { correction_id: id, transfer_id, kind } = lost.event.data;
  const correction = await find(repair, id);
  if (correction === undefined) {
    repair.lost.markUndone(lost);
    repair.cannot(`correction ${id} of transfer ${transfer_id} is lost, and so is its approval`);
    return;
  }
  if (correction.status === 'done') return;
  await tx.treasury.run(
    `UPDATE corrections SET status = 'done', decision = 'approved', decided_at = coalesce(decided_at, $2) WHERE id = $1`,
    [id, new Date(lost.event.time)],
  );
  const { own } = undoneWith(kind);
  if (own === 'cash_deposit') {
    await tx.treasury.run(`UPDATE cash_deposits SET status = 'reversed' WHERE id = $1`, [transfer_id]);
  } else if (own === 'distribution') {
    await tx.treasury.run(`UPDATE distributions SET status = 'reversed' WHERE closing_transfer_id = $1`, [transfer_id]);
  }
  repair.did('corrections', `mark correction ${id} of transfer ${transfer_id} as done`);
}

/** A posted reversal: its id is that of the correction, its reference the reversed transfer. */
interface PostedReversal {
  id: string;
  association_id: string;
  reference: string | null;
}

/** Takes back in contribution what a posted reversal has undone, in the order in which it happened. */
export async function redoReversal(repair: Repair, { id, association_id, reference }: PostedReversal): Promise<void> {
  const { tx } = repair;
  const transfer_id = reference ?? '';
  const paid = await findPaidBy(tx.contribution, association_id, transfer_id);
  if (paid === undefined) {
    const correction = await find(repair, id);
    if (correction === undefined || !undoneWith(correction.kind).contribution) return;
    repair.cannot(`transfer ${transfer_id} is reversed by ${id}, and contribution has lost what it had paid`);
    return;
  }
  const claimed = { correction_id: id, association_id, transfer_id, meeting_id: paid.meeting_id };
  if (await claimReversal(tx.contribution, claimed)) {
    await changePaidBy(tx.contribution, paid, TAKE_BACK);
  } else if ((await lockReversal(tx.contribution, id))?.status !== 'taken') {
    repair.cannot(`transfer ${transfer_id} is reversed by ${id}, but contribution has another reversal of it`);
    return;
  }
  if (!(await changePaidBy(tx.contribution, paid, REVERSE))) {
    repair.cannot(`transfer ${transfer_id} is reversed by ${id}, but what it had paid is not paid`);
    return;
  }
  await endReversal(tx.contribution, id, 'reversed');
  repair.did('reversals', `mark what transfer ${transfer_id} had paid as reversed`);
}
