import { amountOf } from '../amounts.ts';
import { correctionSteps, type Correction } from '../corrections.ts';
import type { Operation } from '../checker.ts';
import type { Json } from '../exchange.ts';
import { rowsOf, type Facts } from '../facts.ts';
import { fineModel, type FineInput } from '../models/fine.ts';
import { BY_LEDGER, decidedBy, type Payment } from '../payments.ts';
import { isDone, isOpen, type Request } from '../requests.ts';
import { executionOf, type Submission } from '../sheets.ts';
import { addTo, checkedObject, type ByObject, type CheckedObject } from './objects.ts';
import { labelOf, lostDuring, paymentSteps, sumsOf } from './payment-steps.ts';

const FINES = '/associations/:association/fines';
const PAY = `POST ${FINES}/:fine/pay`;
const READS = [`GET ${FINES}`, `GET ${FINES}/:fine`];

/** A request to pay a fine, alone or as a line of a meeting sheet. */
interface FinePayment extends Omit<Payment, 'meeting' | 'member'> {
  fine: string;
  /** Undefined if no answer shows it. */
  transfer: unknown;
}

/** Returns the fines of a history. Those that no answer shows are left out, as their amount is not known. */
export function finesOf(
  requests: readonly Request[],
  facts: Facts,
  submissions: readonly Submission[],
  corrections: readonly Correction[],
): CheckedObject[] {
  const fines: ByObject<FineInput> = new Map();
  const amounts = new Map<string, bigint>();
  const payments = [...requests.flatMap(paymentsOf), ...submissions.flatMap(paymentsOfSheet)];
  for (const request of requests.filter((each) => READS.includes(each.route) && isDone(each))) {
    for (const row of request.route === READS[0] ? rowsOf(request) : [request.received]) {
      amounts.set(row['id'] as string, amountOf(row['amount']));
      addTo(fines, row['id'] as string, readOf(request, row));
    }
  }
  for (const payment of payments) addPayment(fines, payment, payments, amounts);
  for (const correction of corrections) addCorrection(fines, correction, payments);
  for (const id of facts.shownApprovals.keys()) addWaiver(fines, id, facts, requests);
  return [...fines].flatMap(([id, operations]) => {
    const amount = amounts.get(id);
    return amount === undefined ? [] : [checkedObject(`fine ${id}`, fineModel(amount), operations)];
  });
}

/** Returns the payment that a request asks for; nothing if it was refused for a reason that no fine or wallet has. */
function paymentsOf(request: Request): FinePayment[] {
  if (request.route !== PAY) return [];
  const { sent, params, received, code, call } = request;
  const outcome = outcomeOf(request);
  if (outcome === undefined) return [];
  const isOver = outcome === 'paid' || outcome === 'given_back';
  return [
    {
      request,
      fine: params['fine']!,
      transfer: received['transfer_id'],
      wallet: sent['wallet_id'] as string,
      amount: amountOf(sent['amount']),
      outcome,
      endsFrom: call,
      endedBy: isOver ? request.return : Infinity,
      outstanding: code === 'fine_exceeded' ? amountOf(received['outstanding']) : undefined,
    },
  ];
}

function outcomeOf(request: Request): Payment['outcome'] | undefined {
  if (isDone(request)) return 'paid';
  if (isOpen(request)) return request.status === 0 ? 'unknown' : 'open';
  if (BY_LEDGER.has(request.code)) return 'given_back';
  return ['fine_exceeded', 'fine_not_due'].includes(request.code) ? 'refused' : undefined;
}

function paymentsOfSheet({ request, lines, end, transfer }: Submission): FinePayment[] {
  const own = lines.filter(({ kind }) => kind === 'fine');
  return own.map(({ fine_id, amount }): FinePayment => {
    const paid = { fine: fine_id as string, amount: amountOf(amount) };
    return { request, transfer, wallet: null, outstanding: undefined, ...paid, ...end };
  });
}

function readOf({ id, call, return: returned }: Request, row: Json): Operation<FineInput> {
  const [paid, outstanding] = [amountOf(row['paid']), amountOf(row['outstanding'])];
  const input: FineInput = { kind: 'read', status: row['status'] as string, paid, outstanding };
  const label = `${id} read -> ${input.status}, ${String(paid)} paid, ${String(outstanding)} outstanding`;
  return { call, return: returned, input, label };
}

function addPayment(
  fines: ByObject<FineInput>,
  payment: FinePayment,
  payments: readonly FinePayment[],
  amounts: ReadonlyMap<string, bigint>,
): void {
  const { fine, request, amount, outcome, outstanding, wallet } = payment;
  const steps = paymentSteps<FineInput>(payment, {
    take: { kind: 'take', amount },
    pay: { kind: 'pay', amount },
    giveBack: { kind: 'give_back', amount },
  });
  addTo(fines, fine, ...steps);
  // The answer shows the fine as the payment left it, perhaps with later ones.
  const [, pay] = steps;
  if (outcome === 'paid' && wallet !== null && pay !== undefined) {
    addTo(fines, fine, { ...readOf(request, request.received), needs: [pay] });
  }
  if (outcome !== 'refused' || wallet === null) return;
  const lost = lostDuring(
    request,
    payments.filter((each) => each.fine === fine),
  );
  const held = sumsOf(
    lost.map((each) => each.amount),
    amounts.get(fine) ?? 0n,
  );
  const input: FineInput =
    outstanding === undefined ? { kind: 'not_due' } : { kind: 'exceeded', amount, outstanding, held };
  addTo(fines, fine, { call: request.call, return: request.return, input, label: labelOf(payment) });
}

/** A payment without an answer may be the corrected one, if its amount fits. */
function addCorrection(fines: ByObject<FineInput>, correction: Correction, payments: readonly FinePayment[]): void {
  const own = payments.filter(({ transfer }) => transfer === correction.transfer);
  const candidates = payments.filter(
    ({ outcome, wallet, amount }) =>
      (outcome === 'unknown' || outcome === 'open') && wallet !== null && amount === correction.amount,
  );
  const isKnown = own.length > 0;
  if (!isKnown && correction.kind !== 'fine_payment') return;
  for (const { fine, amount } of isKnown ? own : candidates) {
    const steps = correctionSteps<FineInput>(isKnown ? correction : { ...correction, isReversed: undefined }, {
      takeBack: { kind: 'take_back', amount },
      reverse: { kind: 'give_back', amount },
      restore: { kind: 'pay', amount },
    });
    addTo(fines, fine, ...steps);
  }
}

function addWaiver(fines: ByObject<FineInput>, approval: string, facts: Facts, requests: readonly Request[]): void {
  const shown = facts.shownApprovals.get(approval) ?? [];
  const approved = shown.find(({ row }) => row['subject_type'] === 'fine_waiver' && row['status'] === 'approved');
  if (approved === undefined || shown.some(({ row }) => executionOf(row) === 'failed')) return;
  const done = shown.find(({ row }) => executionOf(row) === 'done');
  const { endsFrom, endedBy } = decidedBy({ outcome: 'open', endedBy: done?.seenAt ?? Infinity }, approval, requests);
  const { fine_id } = approved.row['payload'] as { fine_id: string };
  const call = Number.isFinite(endsFrom) ? endsFrom : 0;
  const input: FineInput = { kind: 'waive' };
  addTo(fines, fine_id, { call, return: endedBy, input, isOptional: done === undefined, label: `waiver ${approval}` });
}
