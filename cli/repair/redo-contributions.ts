/** Stores contributions and settlements again that a restored contribution database has lost, as the ledger has them. */
import { isWalletAccount, meetingOfPool, WALLET_PREFIX } from '../../lib/contracts/accounts.ts';
import type { Leg, TransferKind } from '../../lib/contracts/treasury.ts';
import { sqlList } from '../../lib/saga/states.ts';
import { isErrorCode } from '../../lib/errors/codes.ts';
import { reopenAbandonedMeetings } from '../../services/contribution/meetings/meeting.store.ts';
import { paidFact } from '../../services/contribution/payments/contribution.saga.ts';
import type { ContributionRow } from '../../services/contribution/payments/contribution.table.ts';
import {
  findContribution,
  redoArrearsPayment,
  redoFailing,
  redoPaying,
  redoTaking,
} from '../../services/contribution/payments/redo-contribution.ts';
import { redoSettlement } from '../../services/contribution/settlement/redo-settlement.ts';
import type { CashDeposit } from '../../services/treasury/cash/cash-deposit.table.ts';
import { FIRST_ID, PAGE_ROWS } from '../verify/check.ts';
import { membersOf, ownersOf } from './postings.ts';
import { redoReversal } from './redo-corrections.ts';
import { findAssociation, termsOfVersionAt } from './redo-meetings.ts';
import type { Repair } from './repair.ts';

/** A posted transfer that the contribution service has to know. */
interface Posted {
  id: string;
  seq: bigint;
  association_id: string;
  kind: TransferKind;
  legs: Leg[];
  currency: string;
  reference: string | null;
  member_id: string | null;
  posted_at: Date;
}

const KINDS: TransferKind[] = [
  'contribution',
  'arrears_payment',
  'settlement',
  'meeting_refund',
  'fine_payment',
  'meeting_sheet',
  'reversal',
];

const POSTED = `
  SELECT id, seq, association_id, kind, legs, currency, reference, member_id, posted_at FROM transfers
  WHERE id > $1 AND seq IS NOT NULL AND kind IN (${sqlList(KINDS)}) ORDER BY id LIMIT $2`;

/** Those of the transfers in $1 whose records are complete, or are completed by recovery. */
const COMPLETE = `
  SELECT id FROM contributions WHERE id = ANY($1::uuid[]) AND status <> 'pending'
  UNION ALL SELECT id FROM settlements WHERE id = ANY($1::uuid[]) AND status <> 'planned'
  UNION ALL SELECT id FROM fine_payments WHERE id = ANY($1::uuid[])
  UNION ALL SELECT id FROM sheet_submissions WHERE id = ANY($1::uuid[])
  UNION ALL SELECT correction_id FROM reversals WHERE correction_id = ANY($1::uuid[]) AND status <> 'taken'`;

/** A change to repeat, and when it happened. */
interface Step {
  at: Date;
  /** Decides between steps of one millisecond: the place in the chain. */
  seq: bigint;
  redo: () => Promise<void>;
}

/** Repeats, in the order in which they happened, payments, cash, settlements and refunds. */
export async function redoContributions(repair: Repair): Promise<void> {
  // No attempt to settle is alive, as the services are stopped.
  await reopenAbandonedMeetings(repair.tx.contribution, 0);
  const steps = [...(await transferSteps(repair)), ...(await cashSteps(repair)), ...emptySettlementSteps(repair)];
  steps.push(...failureSteps(repair));
  steps.sort((a, b) => a.at.getTime() - b.at.getTime() || Number(a.seq - b.seq));
  for (const { redo } of steps) await redo();
}

async function transferSteps(repair: Repair): Promise<Step[]> {
  const { tx } = repair;
  const steps: Step[] = [];
  for (let after = FIRST_ID; ;) {
    const rows = await tx.treasury.rows<Posted>(POSTED, [after, PAGE_ROWS]);
    const known = await tx.contribution.rows<{ id: string }>(COMPLETE, [rows.map(({ id }) => id)]);
    const ids = new Set(known.map(({ id }) => id));
    for (const row of rows) {
      if (ids.has(row.id)) continue;
      const { posted_at: at, seq } = row;
      steps.push({ at, seq, redo: () => redoPosted(repair, row) });
    }
    if (rows.length < PAGE_ROWS) return steps;
    after = rows.at(-1)?.id ?? after;
  }
}

function redoPosted(repair: Repair, row: Posted): Promise<void> {
  switch (row.kind) {
    case 'settlement':
    case 'meeting_refund':
      return redoPlan(repair, planOf(repair, row));
    case 'fine_payment':
    case 'meeting_sheet':
      repair.cannot(
        `transfer ${row.id} (${row.kind}) of association ${row.association_id} has no record in contribution`,
      );
      return Promise.resolve();
    case 'reversal':
      return redoReversal(repair, row);
    default:
      return redoPayment(repair, row);
  }
}

async function redoPayment(repair: Repair, posted: Posted): Promise<void> {
  const { tx, outbox } = repair;
  const { id, kind, association_id, posted_at } = posted;
  const lost = repair.lost.find('contribution.paid', 'contribution_id', id);
  const decided_at = lost === undefined ? posted_at : new Date(lost.event.time);
  const pending = await findContribution(tx.contribution, id);
  if (pending === undefined) {
    const row = await rowOf(repair, posted, decided_at);
    const refused = typeof row === 'string' ? row : await storeLost(repair, posted, row);
    if (refused !== null) {
      if (lost !== undefined) repair.lost.markUndone(lost);
      repair.cannot(`transfer ${id} (${kind}) of association ${association_id} has no contribution: ${refused}`);
      return;
    }
  }
  if (kind === 'contribution' || pending !== undefined) await redoPaying(tx.contribution, id, decided_at);
  const paid = await findContribution(tx.contribution, id);
  if (paid !== undefined && lost === undefined) outbox.contribution.append(tx.contribution, paidFact(paid));
  const what = pending === undefined ? 'store' : 'mark';
  repair.did('contributions', `${what} contribution ${id} of association ${association_id} as paid`);
}

async function storeLost({ tx }: Repair, { legs }: Posted, row: ContributionRow): Promise<string | null> {
  if (row.kind === 'pool') return redoTaking(tx.contribution, row);
  const received = legs
    .filter(({ amount_minor }) => amount_minor > 0)
    .map(({ account, amount_minor }) => {
      return { wallet_id: account.slice(WALLET_PREFIX.length), amount_minor: BigInt(amount_minor) };
    });
  return redoArrearsPayment(tx.contribution, row, received);
}

/** Returns the row of a lost contribution, or what no record says of it. */
async function rowOf(repair: Repair, posted: Posted, decided_at: Date): Promise<ContributionRow | string> {
  const { id, association_id, kind, legs, currency, posted_at } = posted;
  const data = repair.lost.find('contribution.paid', 'contribution_id', id)?.event.data;
  const payer = legs.find(({ account, amount_minor }) => isWalletAccount(account) && amount_minor < 0);
  if (payer === undefined) return 'no wallet has paid it';
  const payer_user_id = (await ownersOf(repair, [payer.account])).get(payer.account);
  if (payer_user_id === undefined) return `the owner of ${payer.account} is lost`;
  const paid_by =
    data?.paid_by_member_id ?? (await membersOf(repair, association_id, [payer_user_id])).get(payer_user_id);
  const member_id = data?.member_id ?? posted.member_id ?? paid_by;
  const pool = legs.map(({ account }) => meetingOfPool(account)).find((meeting) => meeting !== undefined);
  const meeting_id = data?.meeting_id ?? pool;
  if (paid_by === undefined || member_id === undefined) return 'membership has lost its member';
  if (meeting_id === undefined) return 'no record says from which meeting the arrears were';
  return {
    id,
    association_id,
    meeting_id,
    member_id,
    paid_by_member_id: paid_by,
    payer_user_id,
    wallet_id: payer.account.slice(WALLET_PREFIX.length),
    method: 'wallet',
    kind: kind === 'contribution' ? 'pool' : 'arrears',
    amount_minor: BigInt(-payer.amount_minor),
    currency,
    status: 'pending',
    outstanding_minor: 0n,
    failure_code: null,
    created_at: posted_at,
    decided_at,
    last_attempt_at: posted_at,
    metadata: data?.metadata ?? {},
  };
}

/** A settlement or refund of a lost record. */
interface Plan {
  id: string;
  kind: 'settlement' | 'cancellation';
  association_id: string;
  meeting_id: string | undefined;
  legs: Leg[];
  settled_at: Date;
}

function planOf({ lost }: Repair, { id, kind, association_id, legs, posted_at }: Posted): Plan {
  const settled = lost.find('meeting.settled', 'settlement_id', id)?.event;
  const pool = legs.map(({ account }) => meetingOfPool(account)).find((meeting) => meeting !== undefined);
  return {
    id,
    kind: kind === 'settlement' ? 'settlement' : 'cancellation',
    association_id,
    meeting_id: pool ?? settled?.data.meeting_id,
    legs,
    settled_at: settled === undefined ? posted_at : new Date(settled.time),
  };
}

/** Settlements and cancellations of meetings without contributions have an event, and no transfer. */
function emptySettlementSteps(repair: Repair): Step[] {
  const { lost, runtime, tx } = repair;
  const endings = lost
    .ofType('meeting.settled', 'meeting.cancelled')
    .filter(({ event: { data } }) =>
      'settlement_id' in data ? data.collected_minor === 0 : data.refunded_minor === 0,
    );
  return endings.map(({ event: { data, subject: association_id = '', time } }) => {
    const { meeting_id } = data;
    const [id, kind] =
      'settlement_id' in data
        ? [data.settlement_id, 'settlement' as const]
        : [runtime.newId(), 'cancellation' as const];
    const plan: Plan = { id, kind, association_id, meeting_id, legs: [], settled_at: new Date(time) };
    const redo = async () => {
      // The last round of savings has a transfer even if nothing was collected in it.
      const ended = await tx.contribution.first(
        `SELECT FROM settlements WHERE meeting_id = $1 AND status = 'settled'`,
        [meeting_id],
      );
      const posted = await tx.treasury.first('SELECT FROM transfers WHERE id = $1', [id]);
      if (ended === undefined && posted === undefined) await redoPlan(repair, plan);
    };
    return { at: plan.settled_at, seq: 0n, redo };
  });
}

async function redoPlan(repair: Repair, plan: Plan): Promise<void> {
  const { tx, outbox, lost } = repair;
  const { id, kind, association_id, meeting_id, legs } = plan;
  const event =
    lost.find('meeting.settled', 'settlement_id', id) ?? lost.find('meeting.cancelled', 'meeting_id', meeting_id ?? '');
  const redone = await planAgain(repair, plan);
  if ('refused' in redone) {
    if (event !== undefined) lost.markUndone(event);
    repair.cannot(
      `transfer ${id} of association ${association_id} has no ${kind} of meeting ${String(meeting_id)}: ${redone.refused}`,
    );
    return;
  }
  if (event === undefined) outbox.contribution.append(tx.contribution, ...redone.facts);
  repair.did(
    'settlements',
    `store ${kind} ${id} of meeting ${String(meeting_id)} again, with ${String(legs.length)} legs`,
  );
}

async function planAgain(repair: Repair, plan: Plan): ReturnType<typeof redoSettlement> {
  const { tx } = repair;
  const { association_id, meeting_id, legs } = plan;
  const association = await findAssociation(tx, association_id);
  const president = await tx.membership.first<{ id: string }>(
    `SELECT id FROM members WHERE association_id = $1 AND role = 'president'`,
    [association_id],
  );
  if (association === undefined || president === undefined) return { refused: 'membership has lost the association' };
  if (meeting_id === undefined) return { refused: 'no record says of which meeting it is' };
  const accounts = legs.map(({ account }) => account).filter(isWalletAccount);
  const owners = await ownersOf(repair, accounts);
  const members = await membersOf(repair, association_id, [...owners.values()]);
  const paid = new Map<string, string>();
  for (const account of accounts) {
    const member = members.get(owners.get(account) ?? '');
    if (member !== undefined) paid.set(member, account.slice(WALLET_PREFIX.length));
  }
  // No record says who settled it.
  const settled_by_member_id = president.id;
  const walletOf = (member_id: string) => paid.get(member_id) ?? '';
  return redoSettlement(tx.contribution, {
    ...plan,
    meeting_id,
    settled_by_member_id,
    terms: await termsOfVersionAt(repair, association, plan.settled_at),
    walletOf,
  });
}

const CASH_FOR_MEETINGS = `
  SELECT d.*, t.posted_at, t.seq FROM cash_deposits d LEFT JOIN transfers t ON t.id = d.id AND t.seq IS NOT NULL
  WHERE d.id > $1 AND d.meeting_id IS NOT NULL AND d.status NOT IN ('taking', 'refused') ORDER BY d.id LIMIT $2`;

type CashForMeeting = CashDeposit & { posted_at: Date | null; seq: bigint | null };

/** Cash takes its due when it is recorded, and is paid or given back when it is decided. */
async function cashSteps(repair: Repair): Promise<Step[]> {
  const { tx } = repair;
  const steps: Step[] = [];
  for (let after = FIRST_ID; ;) {
    const deposits = await tx.treasury.rows<CashForMeeting>(CASH_FOR_MEETINGS, [after, PAGE_ROWS]);
    const known = await tx.contribution.rows<{ id: string; status: string }>(
      'SELECT id, status FROM contributions WHERE id = ANY($1::uuid[])',
      [deposits.map(({ id }) => id)],
    );
    const statuses = new Map(known.map((row) => [row.id, row.status]));
    for (const deposit of deposits) {
      const status = statuses.get(deposit.id);
      const isPaid = deposit.posted_at !== null;
      const isOver = isPaid || deposit.status === 'rejected';
      if (status === undefined) steps.push({ at: deposit.recorded_at, seq: 0n, redo: () => takeCash(repair, deposit) });
      const at = deposit.posted_at ?? deposit.last_attempt_at;
      const seq = deposit.seq ?? 0n;
      if (isOver && (status ?? 'pending') === 'pending')
        steps.push({ at, seq, redo: () => decideCash(repair, deposit) });
    }
    if (deposits.length < PAGE_ROWS) return steps;
    after = deposits.at(-1)?.id ?? after;
  }
}

async function takeCash(repair: Repair, deposit: CashForMeeting): Promise<void> {
  const { id, meeting_id, member_id, amount: amount_minor, currency, recorded_at: created_at } = deposit;
  const lost = {
    id,
    meeting_id: meeting_id ?? '',
    member_id,
    paid_by_member_id: member_id,
    amount_minor,
    currency,
    created_at,
    metadata: deposit.metadata ?? {},
  };
  const refused = await redoTaking(repair.tx.contribution, { ...lost, payer_user_id: null, wallet_id: null });
  if (refused === null) repair.did('contributions', `store the contribution of cash deposit ${id} again`);
  else repair.cannot(`cash deposit ${id} of ${String(amount_minor)} ${currency} has no contribution: ${refused}`);
}

async function decideCash(repair: Repair, deposit: CashForMeeting): Promise<void> {
  const { tx, outbox, lost } = repair;
  const { id, posted_at, decision } = deposit;
  const row = await findContribution(tx.contribution, id);
  if (row?.status !== 'pending') return;
  if (posted_at === null) {
    const code = isErrorCode(deposit.refusal?.code) ? deposit.refusal.code : (decision ?? 'rejected');
    await redoFailing(tx.contribution, row, code, deposit.last_attempt_at);
  } else {
    await redoPaying(tx.contribution, id, posted_at);
    if (lost.find('contribution.paid', 'contribution_id', id) === undefined) {
      outbox.contribution.append(tx.contribution, paidFact(row));
    }
  }
  repair.did(
    'contributions',
    `mark the contribution of cash deposit ${id} as ${posted_at === null ? 'failed' : 'paid'}`,
  );
}

/** Contributions that had failed after they were seen as pending. */
function failureSteps(repair: Repair): Step[] {
  const { lost, tx } = repair;
  return lost.ofType('contribution.failed').map(({ event: { data, time } }) => {
    const at = new Date(time);
    const redo = async () => {
      const row = await findContribution(tx.contribution, data.contribution_id);
      if (row?.status !== 'pending') return;
      await redoFailing(tx.contribution, row, data.code, at);
      repair.did('contributions', `mark contribution ${row.id} as failed (${data.code})`);
    };
    return { at, seq: 0n, redo };
  });
}
