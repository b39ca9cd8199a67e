import { amountOf } from '../amounts.ts';
import { correctionSteps, type TakenBack } from '../corrections.ts';
import { rowsOf } from '../facts.ts';
import type { Json } from '../exchange.ts';
import { dueModel, type DueInput } from '../models/due.ts';
import type { Payment } from '../payments.ts';
import { isDone, isOpen, type Request } from '../requests.ts';
import { addTo, checkedObject, openingOf, type ByObject, type CheckedObject, unknownObject } from './objects.ts';
import { labelOf, lostDuring, paymentSteps, sumsOf } from './payment-steps.ts';

const keyOf = (meeting: string, member: string) => `${meeting}/${member}`;
const DUES = 'GET /associations/:association/meetings/:meeting/dues';
const SETTLE = 'POST /associations/:association/meetings/:meeting/settle';
const SETTLEMENT = 'GET /associations/:association/meetings/:meeting/settlement';
const CANCEL = 'POST /associations/:association/meetings/:meeting/cancel';

/** Returns the dues of a history, of each member for each meeting. */
export function duesOf(
  requests: readonly Request[],
  payments: readonly Payment[],
  takenBack: readonly TakenBack[],
): CheckedObject[] {
  const dues: ByObject<DueInput> = new Map();
  const amounts = dueAmounts(requests);
  for (const payment of payments) addPayment(dues, payment, payments, amounts);
  for (const { correction, meeting, member, amount } of takenBack) {
    const steps = correctionSteps<DueInput>(correction, {
      takeBack: { kind: 'take_back', amount },
      reverse: { kind: 'give_back', amount },
      restore: { kind: 'pay', amount, outstanding: undefined },
    });
    addTo(dues, keyOf(meeting, member), ...steps);
  }
  for (const request of requests) if (request.route === DUES && isDone(request)) addReads(dues, request);
  for (const request of requests) addEnds(dues, request, requests);
  const isShown = new Set(requests.filter(({ route }) => route === DUES).map(({ params }) => params['meeting']!));
  return [...dues].map(([key, operations]) => {
    const opening = openingOf(operations)?.input;
    const paid = opening?.kind === 'read' ? (opening.paid ?? 0n) : 0n;
    const [meeting = ''] = key.split('/');
    const name = `due ${key}`;
    if (!isShown.has(meeting)) return unknownObject(name, operations.length, 'no answer shows what is due');
    const due = amounts.get(key) ?? (isOfCycle(meeting, amounts) ? 0n : null);
    return checkedObject(name, dueModel(due, paid), operations);
  });
}

/** Returns what is due for members of cycles; it never changes. */
function dueAmounts(requests: readonly Request[]): Map<string, bigint> {
  const amounts = new Map<string, bigint>();
  for (const request of requests.filter((each) => each.route === DUES && isDone(each))) {
    for (const row of rowsOf(request)) {
      const due = amountOf(row['due']);
      if (due > 0n) amounts.set(keyOf(request.params['meeting']!, row['member_id'] as string), due);
    }
  }
  return amounts;
}

const isOfCycle = (meeting: string, amounts: Map<string, bigint>) =>
  [...amounts.keys()].some((key) => key.startsWith(meeting));

function addPayment(
  dues: ByObject<DueInput>,
  payment: Payment,
  payments: readonly Payment[],
  due: Map<string, bigint>,
): void {
  const { request, amount, outstanding } = payment;
  const key = keyOf(payment.meeting, payment.member);
  const paidInAnswer = payment.outcome === 'paid' ? outstanding : undefined;
  const inputs: Record<'take' | 'pay' | 'giveBack', DueInput> = {
    take: { kind: 'take', amount },
    pay: { kind: 'pay', amount, outstanding: paidInAnswer },
    giveBack: { kind: 'give_back', amount },
  };
  addTo(dues, key, ...paymentSteps(payment, inputs));
  if (request.code !== 'contribution_exceeds_due') return;
  const ofDue = payments.filter(({ meeting, member }) => keyOf(meeting, member) === key);
  const lost = lostDuring(request, ofDue).map((each) => each.amount);
  const held = sumsOf(lost, due.get(key) ?? 0n);
  const input: DueInput = { kind: 'exceeds_due', amount, outstanding: outstanding ?? 0n, held };
  addTo(dues, key, { call: request.call, return: request.return, input, label: labelOf(payment) });
}

function addReads(dues: ByObject<DueInput>, request: Request): void {
  const meeting = request.params['meeting']!;
  for (const row of rowsOf(request)) {
    const [due, paid, outstanding] = [amountOf(row['due']), amountOf(row['paid']), amountOf(row['outstanding'])];
    const label = `${request.id} read -> due ${String(due)}, paid ${String(paid)}, outstanding ${String(outstanding)}`;
    const input: DueInput = { kind: 'read', due, paid, outstanding };
    addTo(dues, keyOf(meeting, row['member_id'] as string), { ...timesOf(request), input, label });
  }
}

const timesOf = ({ call, return: returned }: Request) => ({ call, return: returned });

/** Adds what settling and cancelling do to all dues of the meeting that others touch. */
function addEnds(dues: ByObject<DueInput>, request: Request, requests: readonly Request[]): void {
  const { route, id, code } = request;
  if (route !== SETTLE && route !== CANCEL) return;
  const meeting = request.params['meeting']!;
  const ofMeeting = [...dues.keys()].filter((key) => key.startsWith(`${meeting}/`));
  if (code === 'meeting_underfunded') addMissing(dues, ofMeeting, request);
  if (!isDone(request) && !isOpen(request)) return;
  const debtors = debtorsOf(meeting, requests);
  for (const key of ofMeeting) {
    const [, member = ''] = key.split('/');
    // If they are not known, this member may have some.
    if (route === SETTLE && debtors !== undefined && !debtors.has(member)) continue;
    const input: DueInput = { kind: route === SETTLE ? 'owe_arrears' : 'refund' };
    const isOptional = !isDone(request);
    addTo(dues, key, { ...timesOf(request), input, isOptional, label: `${id} ${input.kind}` });
  }
}

/** Returns the members with arrears from a meeting; undefined if no answer shows whether it has any. */
export function debtorsOf(meeting: string, requests: readonly Request[]): Set<string> | undefined {
  const shown = requests.filter(
    ({ route, params }) => (route === SETTLE || route === SETTLEMENT) && params['meeting'] === meeting,
  );
  const settled = shown.find((request) => isDone(request) || request.status === 202);
  if (settled !== undefined) {
    return new Set((settled.received['arrears'] as Json[]).map((arrear) => arrear['member_id'] as string));
  }
  // The last read is after all writes. Without a settlement then, there was none.
  const isWithout = shown.findLast(({ route }) => route === SETTLEMENT)?.code === 'not_found';
  return isWithout || shown.every((request) => !isOpen(request)) ? new Set() : undefined;
}

/** A round that is refused as underfunded shows what each member has not paid; for all others it is nothing. */
function addMissing(dues: ByObject<DueInput>, ofMeeting: readonly string[], request: Request): void {
  const missing = new Map(
    (request.received['missing'] as Json[]).map((row) => [row['member_id'] as string, amountOf(row['outstanding'])]),
  );
  for (const key of ofMeeting) {
    const [, member = ''] = key.split('/');
    const outstanding = missing.get(member) ?? 0n;
    const input: DueInput = { kind: 'read', due: undefined, paid: undefined, outstanding };
    addTo(dues, key, { ...timesOf(request), input, label: `${request.id} settle -> missing ${String(outstanding)}` });
  }
}
