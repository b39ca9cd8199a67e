import { ABANDONED_AFTER_MS } from '../../../../lib/node/takeover.ts';
import { amountOf } from '../amounts.ts';
import type { Operation } from '../checker.ts';
import { correctionSteps, type TakenBack } from '../corrections.ts';
import { rowsOf } from '../facts.ts';
import type { Json } from '../exchange.ts';
import { meetingModel, type MeetingInput, type MeetingStatus } from '../models/meeting.ts';
import type { Payment } from '../payments.ts';
import { isDone, isOpen, type Request } from '../requests.ts';
import { debtorsOf } from './dues.ts';
import { addTo, checkedObject, openingOf, type ByObject, type CheckedObject } from './objects.ts';
import { labelOf, lostDuring, paymentSteps } from './payment-steps.ts';

/** Refusals of settling and cancelling before the meeting is closed. */
const NOT_CLOSED = new Set(['meeting_not_open', 'earlier_round_open', 'meeting_in_cycle']);
/** Refusals after the meeting was closed, which open it again. */
const REOPENED = new Set([
  'contributions_in_flight',
  'settlement_changed',
  'meeting_not_due',
  'meeting_underfunded',
  'balance_limit_exceeded',
  'too_many_refunds',
]);

/** As recovery waits, no more attempts without an answer can have closed a meeting in vain in a run. */
const ATTEMPTS_MAX = 3;

/** Returns the meetings of a history. */
export function meetingsOf(
  requests: readonly Request[],
  payments: readonly Payment[],
  takenBack: readonly TakenBack[],
): CheckedObject[] {
  const meetings: ByObject<MeetingInput> = new Map();
  for (const payment of payments) addPayment(meetings, payment);
  for (const { correction, meeting, amount } of takenBack) {
    const steps = correctionSteps<MeetingInput>(correction, {
      takeBack: { kind: 'take_back', amount },
      reverse: { kind: 'give_back', amount },
      restore: { kind: 'pay', amount },
    });
    addTo(meetings, meeting, ...steps);
  }
  const expected = expectedAmounts(requests);
  for (const request of requests) {
    addReads(meetings, request);
    const { meeting, association } = request.params;
    if (meeting === undefined) continue;
    const route = request.route.replace('/associations/:association/meetings/:meeting', '');
    const own = payments.filter((payment) => payment.meeting === meeting);
    if (route === 'POST /settle') addTo(meetings, meeting, ...endSteps(request, 'settle', own, expected.get(meeting)));
    if (route === 'POST /cancel') addTo(meetings, meeting, ...endSteps(request, 'cancel', own));
    if (route === 'PATCH ' && association !== undefined) addTo(meetings, meeting, ...changeSteps(request));
    if (route === 'GET /settlement' && isDone(request)) {
      const statuses: MeetingStatus[] =
        request.received['status'] === 'settled' ? ['settled'] : ['settling', 'settled'];
      addTo(meetings, meeting, operationOf(request, { kind: 'is_in', statuses }));
    }
  }
  return [...meetings].map(([id, operations]) => {
    const opening = openingOf(operations)?.input;
    const { status, collected } = opening?.kind === 'read' ? opening : { status: 'open' as const, collected: 0n };
    const hasArrears = debtorsOf(id, requests)?.size !== 0;
    return checkedObject(`meeting ${id}`, meetingModel({ status, collected, hasArrears }), operations);
  });
}

function operationOf(
  request: Request,
  input: MeetingInput,
  more: Partial<Operation<MeetingInput>> = {},
): Operation<MeetingInput> {
  const { id, user, route, code, status, call, return: returned } = request;
  const what = input.kind === 'read' ? `${input.status}, ${String(input.collected)} collected` : input.kind;
  const answer = code === '' ? String(status) : code;
  const label = `${id} ${user} ${route.split('/').at(-1) ?? ''} -> ${answer}: ${what}`;
  return { call, return: returned, input, label, ...more };
}

function addPayment(meetings: ByObject<MeetingInput>, payment: Payment): void {
  const { request, meeting, amount } = payment;
  const inputs: Record<'take' | 'pay' | 'giveBack', MeetingInput> = {
    take: { kind: 'take', amount },
    pay: { kind: 'pay', amount },
    giveBack: { kind: 'give_back', amount },
  };
  addTo(meetings, meeting, ...paymentSteps(payment, inputs));
  const statuses = STATUSES_OF_REFUSALS[request.code];
  if (statuses === undefined) return;
  const input: MeetingInput = { kind: 'is_in', statuses };
  addTo(meetings, meeting, { call: request.call, return: request.return, input, label: labelOf(payment) });
}

/** In which statuses a meeting refuses payments so. The arrears of a settled meeting can be exceeded too. */
const STATUSES_OF_REFUSALS: Record<string, MeetingStatus[]> = {
  meeting_not_open: ['settling', 'settled', 'cancelled'],
  contribution_exceeds_due: ['open', 'settled'],
};

/** The steps of a request to settle or cancel: it closes the meeting, and then ends it or opens it again. */
function endSteps(
  request: Request,
  kind: 'settle' | 'cancel',
  payments: readonly Payment[],
  expected?: bigint,
): Operation<MeetingInput>[] {
  const { id: by, code, received } = request;
  if (code === 'meeting_not_open') {
    return [operationOf(request, { kind: 'is_in', statuses: ['settling', 'settled', 'cancelled'] })];
  }
  if (NOT_CLOSED.has(code)) return [];
  const close = operationOf(request, { kind: 'close', by });
  const reopen = operationOf(request, { kind: 'reopen', by }, { needs: [close] });
  const shown = kind === 'settle' && isDone(request) ? received['collected_amount'] : undefined;
  const collected = shown === undefined ? undefined : amountOf(shown);
  const end = operationOf(request, { kind, by, collected }, { needs: [close] });
  const attempts = Math.min(request.lost, ATTEMPTS_MAX);
  const inVain = Array.from({ length: attempts }, (_, attempt) => stepsInVain(request, `${by}.${String(attempt)}`));
  if (isDone(request)) return [close, end, ...inVain.flat()];
  if (isOpen(request)) {
    for (const step of [close, end, reopen]) Object.assign(step, { return: Infinity, isOptional: true });
    end.neverAfter = [reopen];
    reopen.neverAfter = [end];
    return [close, end, reopen, ...inVain.flat()];
  }
  if (!REOPENED.has(code)) return [];
  close.isOptional = reopen.isOptional = true;
  close.obliges = [reopen];
  const steps = [close, reopen];
  // Then recovery may open the meeting again although the request is still at work, which answers so too.
  const isAbandoned = request.return - request.call > ABANDONED_AFTER_MS;
  const mayBeInVain = lostDuring(request, payments).length > 0;
  if (code === 'contributions_in_flight' && !isAbandoned && !mayBeInVain)
    steps.push(operationOf(request, { kind: 'in_flight' }));
  if (code === 'meeting_underfunded' && expected !== undefined) {
    steps.push(operationOf(request, { kind: 'collected_below', expected }));
  }
  return steps;
}

/** The steps of an attempt without an answer that perhaps closed the meeting, until recovery opened it again. */
function stepsInVain(request: Request, by: string): Operation<MeetingInput>[] {
  const close = operationOf(request, { kind: 'close', by }, { isOptional: true });
  const reopen = operationOf(request, { kind: 'reopen', by }, { isOptional: true, needs: [close] });
  close.obliges = [reopen];
  return [close, reopen];
}

/** Rescheduling needs an open meeting. */
function changeSteps(request: Request): Operation<MeetingInput>[] {
  if (isDone(request)) return [operationOf(request, { kind: 'is_in', statuses: ['open'] })];
  if (request.code !== 'meeting_not_open') return [];
  return [operationOf(request, { kind: 'is_in', statuses: ['settling', 'settled', 'cancelled'] })];
}

const SHOW = 'GET /associations/:association/meetings/:meeting';
const LIST = 'GET /associations/:association/meetings';

const shownBy = (request: Request): Json[] => {
  if (!isDone(request)) return [];
  if (request.route === LIST) return rowsOf(request);
  return request.route === SHOW ? [request.received] : [];
};

function addReads(meetings: ByObject<MeetingInput>, request: Request): void {
  for (const row of shownBy(request)) {
    const [status, collected] = [row['status'] as MeetingStatus, amountOf(row['collected_amount'])];
    addTo(meetings, row['id'] as string, operationOf(request, { kind: 'read', status, collected }));
  }
}

/** What all members together owe for each round; it never changes. */
function expectedAmounts(requests: readonly Request[]): Map<string, bigint> {
  const rows = requests.flatMap(shownBy).filter((row) => row['cycle_id'] !== null);
  return new Map(rows.map((row) => [row['id'] as string, amountOf(row['expected_amount'])]));
}
