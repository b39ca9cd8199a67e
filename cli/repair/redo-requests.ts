/** Stores cash deposits and distributions again that a restored treasury has lost, or has in an earlier state. */
import type { Decision } from '../../lib/contracts/approvals.ts';
import { WALLET_PREFIX } from '../../lib/contracts/accounts.ts';
import type { Metadata } from '../../lib/contracts/metadata.ts';
import type { Leg } from '../../lib/contracts/treasury.ts';
import { insertRows } from '../../lib/db/table.ts';
import { readAmount } from '../../lib/money/amount.ts';
import type { ApprovalRow } from '../../services/governance/approvals/approval.table.ts';
import {
  cashDeposits,
  type CashDeposit,
  type CashDepositState,
} from '../../services/treasury/cash/cash-deposit.table.ts';
import { reservedBy } from '../../services/treasury/distributions/distribution.rules.ts';
import {
  distributions,
  type Distribution,
  type DistributionState,
} from '../../services/treasury/distributions/distribution.table.ts';
import { FIRST_ID, PAGE_ROWS } from '../verify/check.ts';
import type { LostEvent, Repair } from './repair.ts';

/** What an approval, or a lost event with the transfer's reference, says of a request. */
interface Recorded {
  /** The id of the cash deposit or distribution. */
  id: string;
  association_id: string;
  approval_id: string;
  requested_by_member_id: string;
  requested_at: Date;
  decided_at: Date | null;
  /** The depositor or the beneficiary. */
  member_id: string;
  /** Null for a deposit to the treasury. */
  meeting_id: string | null;
  amount: bigint;
  currency: string;
  reason: string;
}

/** Repeats lost events of cash deposits and distributions, and stores those that only their approvals remember. */
export async function redoRequests(repair: Repair): Promise<void> {
  for (let after = FIRST_ID; ;) {
    const approvals = await repair.tx.governance.rows<ApprovalRow>(APPROVALS, [after, PAGE_ROWS]);
    for (const approval of approvals) {
      const isCash = approval.subject_type === 'cash_deposit';
      await (isCash ? redoDeposit : redoDistribution)(repair, ofApproval(approval));
    }
    if (approvals.length < PAGE_ROWS) break;
    after = approvals.at(-1)?.id ?? after;
  }
  // Governance may have lost the approvals too.
  for (const lost of repair.lost.ofType('cash.recorded')) await redoDepositOfEvent(repair, lost);
  for (const lost of repair.lost.ofType('distribution.requested')) await redoDistributionOfEvent(repair, lost);
}

const APPROVALS = `
  SELECT * FROM approvals WHERE id > $1 AND subject_type IN ('cash_deposit', 'distribution') ORDER BY id LIMIT $2`;

function ofApproval(approval: ApprovalRow): Recorded {
  const {
    id: approval_id,
    subject_id: id,
    association_id,
    requested_by_member_id,
    requested_at,
    decided_at,
  } = approval;
  const { amount, currency, reason, ...named } = approval.payload as unknown as Payload;
  const shared = { id, association_id, approval_id, requested_by_member_id, requested_at, decided_at };
  const member_id = named.member_id ?? named.beneficiary_member_id ?? '';
  const meeting_id = named.meeting_id ?? null;
  return { ...shared, member_id, meeting_id, amount: minorOf(amount, currency), currency, reason };
}

/** The payload of the approval of a cash deposit (with `member_id`) or a distribution. */
interface Payload {
  member_id?: string;
  beneficiary_member_id?: string;
  meeting_id?: string;
  amount: number;
  currency: string;
  reason: string;
}

async function redoDepositOfEvent(repair: Repair, lost: LostEvent<'cash.recorded'>): Promise<void> {
  const { data, subject: association_id = '', time } = lost.event;
  const { cash_deposit_id: id, member_id, meeting_id, currency, approval_id, recorded_by_member_id } = data;
  if ((await find(repair, 'cash_deposits', id)) !== undefined) return;
  const reason = await referenceOf(repair, id);
  if (reason === null) {
    repair.lost.markUndone(lost);
    repair.cannot(`cash deposit ${id} of association ${association_id} is lost, and no other record has its reason`);
    return;
  }
  const decided_at = eventTime(repair.lost.find('cash.confirmed', 'cash_deposit_id', id));
  const amount = BigInt(data.amount_minor);
  const requested = { requested_by_member_id: recorded_by_member_id, requested_at: new Date(time), decided_at };
  await redoDeposit(repair, {
    id,
    association_id,
    approval_id,
    ...requested,
    member_id,
    meeting_id,
    amount,
    currency,
    reason,
  });
}

async function redoDistributionOfEvent(repair: Repair, lost: LostEvent<'distribution.requested'>): Promise<void> {
  const { data, subject: association_id = '', time } = lost.event;
  const { distribution_id: id, beneficiary_member_id: member_id, currency, approval_id, requested_by_member_id } = data;
  if ((await find(repair, 'distributions', id)) !== undefined) return;
  const reason = await referenceOf(repair, id);
  if (reason === null) {
    repair.lost.markUndone(lost);
    repair.cannot(`distribution ${id} of association ${association_id} is lost, and so is its reserve`);
    return;
  }
  const decided_at =
    eventTime(repair.lost.find('distribution.paid', 'distribution_id', id)) ??
    eventTime(repair.lost.find('distribution.rejected', 'distribution_id', id)) ??
    eventTime(repair.lost.find('distribution.failed', 'distribution_id', id));
  const requested = { requested_by_member_id, requested_at: new Date(time), decided_at };
  const amount = BigInt(data.amount_minor);
  await redoDistribution(repair, {
    id,
    association_id,
    approval_id,
    ...requested,
    member_id,
    meeting_id: null,
    amount,
    currency,
    reason,
  });
}

function eventTime(lost: LostEvent | undefined): Date | null {
  return lost === undefined ? null : new Date(lost.event.time);
}

/** The transfer of a deposit, and the reserve of a distribution, have its id, and its reason as their reference. */
async function referenceOf({ tx }: Repair, id: string): Promise<string | null> {
  const row = await tx.treasury.first<{ reference: string | null }>(
    'SELECT reference FROM transfers WHERE id = $1 AND seq IS NOT NULL',
    [id],
  );
  return row?.reference ?? null;
}

async function find<Row extends object>({ tx }: Repair, table: string, id: string): Promise<Row | undefined> {
  return tx.treasury.first<Row>(`SELECT * FROM ${table} WHERE id = $1`, [id]);
}

/** The end of a request, as a lost event says. */
interface End<S> {
  status: S;
  decision: Decision | null;
}

async function redoDeposit(repair: Repair, recorded: Recorded): Promise<void> {
  const { tx, lost, runtime } = repair;
  const { id, association_id, approval_id, member_id, meeting_id, amount, currency, reason } = recorded;
  const stored = await find<CashDeposit>(repair, 'cash_deposits', id);
  const end = depositEnd(lost, id);
  if (stored !== undefined) {
    const isBehind = stored.status !== end.status && end.status !== 'pending_approval';
    const isOpened = stored.status === 'recording' && lost.find('cash.recorded', 'cash_deposit_id', id) !== undefined;
    if (isBehind || isOpened) await moveTo(repair, 'cash_deposits', id, end);
    return;
  }
  const row: CashDeposit = {
    id,
    association_id,
    member_id,
    meeting_id,
    amount,
    currency,
    reason,
    ...end,
    approval_id,
    recorded_by_member_id: recorded.requested_by_member_id,
    recorded_at: recorded.requested_at,
    last_attempt_at: runtime.clock(),
    refusal: null,
    metadata: depositMetadata(lost, id),
  };
  await insertRows(tx.treasury, cashDeposits, [row]);
  repair.did('cash deposits', `store cash deposit ${id} of association ${association_id} again as ${end.status}`);
}

function depositEnd(lost: Repair['lost'], id: string): End<CashDepositState> {
  if (lost.find('cash.confirmed', 'cash_deposit_id', id) !== undefined)
    return { status: 'confirmed', decision: 'approved' };
  const rejected = lost.find('cash.rejected', 'cash_deposit_id', id);
  if (rejected !== undefined) return { status: 'rejected', decision: rejected.event.data.decision };
  return { status: 'pending_approval', decision: null };
}

/** Returns the metadata of a lost deposit, which each of its events has. */
function depositMetadata(lost: Repair['lost'], id: string): Metadata | null {
  const event =
    lost.find('cash.recorded', 'cash_deposit_id', id) ??
    lost.find('cash.confirmed', 'cash_deposit_id', id) ??
    lost.find('cash.rejected', 'cash_deposit_id', id);
  return event?.event.data.metadata ?? null;
}

async function moveTo(repair: Repair, table: string, id: string, { status, decision }: End<string>): Promise<void> {
  await repair.tx.treasury.run(
    `UPDATE ${table} SET status = $2, decision = coalesce($3, decision), last_attempt_at = $4 WHERE id = $1`,
    [id, status, decision, repair.runtime.clock()],
  );
  repair.did('requests', `mark ${table} ${id} as ${status}`);
}

async function redoDistribution(repair: Repair, recorded: Recorded): Promise<void> {
  const { tx, lost, runtime } = repair;
  const { id, association_id, approval_id, member_id, amount, currency, reason } = recorded;
  const stored = await find<Distribution>(repair, 'distributions', id);
  const end = distributionEnd(lost, id);
  if (stored !== undefined) {
    const isOpened =
      stored.status === 'requesting' && lost.find('distribution.requested', 'distribution_id', id) !== undefined;
    const isBehind = stored.status !== end.status && end.status !== 'pending_approval';
    if (isBehind || isOpened) await moveTo(repair, 'distributions', id, end);
    return;
  }
  const reserve = await tx.treasury.first<{ legs: Leg[] }>(
    'SELECT legs FROM transfers WHERE id = $1 AND seq IS NOT NULL',
    [id],
  );
  const closing = await findClosing(repair, recorded);
  const payout_wallet_id = closing.wallet_id ?? (await payoutWalletOf(repair, member_id));
  if (reserve === undefined || payout_wallet_id === undefined) {
    repair.cannot(
      `distribution ${id} is lost, and so is ${reserve === undefined ? 'its reserve' : 'its payout wallet'}`,
    );
    return;
  }
  const row: Distribution = {
    id,
    association_id,
    beneficiary_member_id: member_id,
    payout_wallet_id,
    amount,
    currency,
    reason,
    ...end,
    approval_id,
    closing_transfer_id: closing.paid ?? (end.status === 'failed' ? null : closing.released) ?? runtime.newId(),
    return_transfer_id: (end.status === 'failed' ? closing.released : null) ?? runtime.newId(),
    ...reservedBy(reserve.legs),
    requested_by_member_id: recorded.requested_by_member_id,
    requested_at: recorded.requested_at,
    last_attempt_at: runtime.clock(),
    decided_at: end.decision === null ? null : recorded.decided_at,
    refusal: null,
    metadata: distributionMetadata(lost, id),
  };
  await insertRows(tx.treasury, distributions, [row]);
  repair.did('distributions', `store distribution ${id} of association ${association_id} again as ${end.status}`);
}

function distributionEnd(lost: Repair['lost'], id: string): End<DistributionState> {
  if (lost.find('distribution.paid', 'distribution_id', id) !== undefined)
    return { status: 'paid', decision: 'approved' };
  if (lost.find('distribution.failed', 'distribution_id', id) !== undefined)
    return { status: 'failed', decision: 'approved' };
  const rejected = lost.find('distribution.rejected', 'distribution_id', id);
  if (rejected !== undefined) return { status: 'rejected', decision: rejected.event.data.decision };
  return { status: 'pending_approval', decision: null };
}

/** Returns the metadata of a lost distribution, which each of its events has. */
function distributionMetadata(lost: Repair['lost'], id: string): Metadata | null {
  const event =
    lost.find('distribution.requested', 'distribution_id', id) ??
    lost.find('distribution.paid', 'distribution_id', id) ??
    lost.find('distribution.rejected', 'distribution_id', id) ??
    lost.find('distribution.failed', 'distribution_id', id);
  return event?.event.data.metadata ?? null;
}

/** The transfers that ended a lost distribution. */
interface Closing {
  paid: string | null;
  released: string | null;
  wallet_id: string | undefined;
}

async function findClosing(repair: Repair, { id: subject_id, association_id, reason }: Recorded): Promise<Closing> {
  const { tx, lost } = repair;
  const paid = lost.find('distribution.paid', 'distribution_id', subject_id)?.event.data.transfer_id ?? null;
  const payment = paid === null ? undefined : lost.find('transfer.posted', 'id', paid)?.event.data;
  const wallet = payment?.legs.find(({ account }) => account.startsWith(WALLET_PREFIX));
  // Releases of one reason and amount are alike: any that no other distribution has is the one of this distribution.
  const released = await tx.treasury.first<{ id: string }>(UNOWNED_RELEASE, [association_id, subject_id, reason]);
  return { paid, released: released?.id ?? null, wallet_id: wallet?.account.slice(WALLET_PREFIX.length) };
}

const UNOWNED_RELEASE = `
  SELECT t.id FROM transfers t JOIN transfers reserve ON reserve.id = $2 AND reserve.chain_id = t.chain_id
  WHERE t.association_id = $1 AND t.kind = 'distribution_release' AND t.reference = $3 AND t.seq > reserve.seq
    AND json_array_length(t.legs) = json_array_length(reserve.legs)
    AND (t.legs #>> '{1,amount_minor}') = (reserve.legs #>> '{1,amount_minor}')
    AND NOT EXISTS (SELECT FROM distributions d WHERE d.closing_transfer_id = t.id OR d.return_transfer_id = t.id)
  ORDER BY t.seq LIMIT 1`;

async function payoutWalletOf({ tx }: Repair, member_id: string): Promise<string | undefined> {
  const member = await tx.membership.first<{ payout_wallet_id: string | null }>(
    'SELECT payout_wallet_id FROM members WHERE id = $1',
    [member_id],
  );
  return member?.payout_wallet_id ?? undefined;
}

/** @throws RangeError for an amount that was never accepted */
function minorOf(amount: number, currency: string): bigint {
  const reading = readAmount(amount, currency);
  if ('minor' in reading) return reading.minor;
  throw new RangeError(`${String(amount)} is not an amount in ${currency}`);
}
