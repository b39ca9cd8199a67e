import { amountOf } from '../amounts.ts';
import type { Operation } from '../checker.ts';
import type { Facts, WalletTransfer } from '../facts.ts';
import { rowsOf } from '../facts.ts';
import { walletModel, type WalletInput } from '../models/wallet.ts';
import type { Payment } from '../payments.ts';
import { isDone, isOpen, type Request } from '../requests.ts';
import { executionOf } from '../sheets.ts';
import { addTo, checkedObject, openingOf, type ByObject, type CheckedObject } from './objects.ts';
import { labelOf } from './payment-steps.ts';

/** Returns the wallets of a history. */
export function walletsOf(requests: readonly Request[], facts: Facts, payments: readonly Payment[]): CheckedObject[] {
  if (!facts.hasExport && requests.some(isCause)) throw new Error('The history has no export of the ledger');
  const wallets: ByObject<WalletInput> = new Map();
  for (const request of requests) {
    addFunding(wallets, request, requests);
    addRefusedFine(wallets, request);
    addReads(wallets, request);
  }
  for (const payment of payments) addPayment(wallets, payment);
  for (const transfer of facts.transfers) addTransfer(wallets, transfer, requests, payments);
  return [...wallets].map(([id, operations]) => {
    const opening = openingOf(operations)?.input;
    const balance = opening?.kind === 'read' ? opening.balance : 0n;
    return checkedObject(`wallet ${id}`, walletModel(balance), operations);
  });
}

/** How a deposit and a withdrawal change the balance. */
const FUNDING: Record<string, bigint> = {
  'POST /wallets/:wallet/deposits': 1n,
  'POST /wallets/:wallet/withdrawals': -1n,
};

function addFunding(wallets: ByObject<WalletInput>, request: Request, requests: readonly Request[]): void {
  const sign = FUNDING[request.route];
  if (sign === undefined) return;
  const { id, sent, code, received } = request;
  const amount = amountOf(sent['amount']);
  // The same reference may be used for a deposit and a withdrawal.
  const reference = `${sign > 0n ? 'deposit' : 'withdrawal'} ${String(sent['reference'])}`;
  const funding = { change: sign * amount, reference };
  const label = `${id} ${reference} of ${String(amount)} -> ${code === '' ? String(request.status) : code}`;
  const add = (...operations: Operation<WalletInput>[]) => addTo(wallets, request.params['wallet']!, ...operations);
  const operation = (input: WalletInput, isOptional = false): Operation<WalletInput> => {
    return { call: request.call, return: request.return, input, isOptional, label };
  };
  const sharing = requests.filter((other) => shareReference(request, other));
  if (isDone(request)) add(operation({ kind: 'fund', ...funding, transferId: received['id'] as string }));
  else if (isOpen(request)) add(operation({ kind: 'fund', ...funding, transferId: null }, true));
  else if (code === 'reference_reused') add(operation({ kind: 'reference_reused', ...funding }));
  else if (code === 'insufficient_funds') {
    // Concurrent requests with one reference are repeats of one withdrawal, and get its one outcome.
    const repeats = sharing.filter((other) => other.code === code && amountOf(other.sent['amount']) === amount);
    const call = Math.min(request.call, ...repeats.map((other) => other.call));
    add({ ...operation({ kind: 'insufficient_funds', amount }), call });
  }
  const mayBeRefused = code === 'insufficient_funds' || request.lost > 0;
  if (!mayBeRefused || !sharing.some((other) => other.code === 'reference_reused')) return;
  const hold = operation({ kind: 'hold_reference', ...funding }, true);
  const drop = { ...operation({ kind: 'drop_reference', ...funding }, true), needs: [hold] };
  hold.obliges = [drop];
  add(hold, drop);
}

/** Whether two requests for the same wallet with the same reference were in flight at the same time. */
function shareReference(one: Request, other: Request): boolean {
  const isSame =
    other.route === one.route &&
    other.params['wallet'] === one.params['wallet'] &&
    other.sent['reference'] === one.sent['reference'];
  return isSame && other !== one && other.call <= one.return && one.call <= other.return;
}

/** A payment of a fine that the ledger has refused. */
function addRefusedFine(wallets: ByObject<WalletInput>, { route, code, sent, id, call, ...request }: Request): void {
  if (route !== PAY_FINE || code !== 'insufficient_funds') return;
  const input: WalletInput = { kind: 'insufficient_funds', amount: amountOf(sent['amount']) };
  const label = `${id} pays a fine -> ${code}`;
  addTo(wallets, sent['wallet_id'] as string, { call, return: request.return, input, label });
}

function addReads(wallets: ByObject<WalletInput>, request: Request): void {
  if (!isDone(request)) return;
  const { route, received, call, return: returned, id } = request;
  const isOne = route === 'GET /wallets/:wallet';
  if (!isOne && route !== 'GET /wallets/my') return;
  for (const row of isOne ? [received] : rowsOf(request)) {
    const input: WalletInput = { kind: 'read', balance: amountOf(row['balance']) };
    const label = `${id} read -> ${String(input.balance)}`;
    addTo(wallets, row['id'] as string, { call, return: returned, input, label });
  }
}

function addPayment(wallets: ByObject<WalletInput>, payment: Payment): void {
  const { wallet, amount, outcome, request, endedBy } = payment;
  if (wallet === null) return;
  const isUnknown = outcome === 'unknown' || outcome === 'open';
  const operation = (input: WalletInput): Operation<WalletInput> => {
    return { call: request.call, return: endedBy, input, isOptional: isUnknown, label: labelOf(payment) };
  };
  if (outcome === 'paid' || isUnknown) addTo(wallets, wallet, operation({ kind: 'move', change: -amount }));
  if (request.code === 'insufficient_funds') addTo(wallets, wallet, operation({ kind: 'insufficient_funds', amount }));
}

/**
 * Adds what a wallet got, by payouts, refunds, distributions and arrears, and what fines and reversals moved. What it contributed is
 * known from its owner's requests.
 */
function addTransfer(
  wallets: ByObject<WalletInput>,
  transfer: WalletTransfer,
  requests: readonly Request[],
  payments: readonly Payment[],
): void {
  const { call, returned } = timesOf(transfer, requests, payments);
  for (const [wallet, change] of transfer.changes) {
    const label = `${transfer.kind} ${transfer.id.slice(-6)} of ${String(change)}`;
    addTo(wallets, wallet, { call, return: returned, input: { kind: 'move', change }, label });
  }
}

const PAY_FINE = 'POST /associations/:association/fines/:fine/pay';

/** The requests that cause transfers of each kind. */
const CAUSES: Record<string, string> = {
  settlement: 'POST /associations/:association/meetings/:meeting/settle',
  meeting_refund: 'POST /associations/:association/meetings/:meeting/cancel',
  distribution_payment: 'POST /associations/:association/governance/approve',
  reversal: 'POST /associations/:association/governance/approve',
  fine_payment: PAY_FINE,
};

/** Whether the request may have caused a transfer that only the ledger shows. */
function isCause(request: Request): boolean {
  if (!isDone(request) && !isOpen(request)) return false;
  const { subject_type } = request.received;
  if (request.route === CAUSES['distribution_payment'])
    return subject_type === 'distribution' || subject_type === 'correction';
  return Object.values(CAUSES).includes(request.route);
}

/** Returns when a transfer was posted at the earliest and at the latest. */
function timesOf(
  transfer: WalletTransfer,
  requests: readonly Request[],
  payments: readonly Payment[],
): { call: number; returned: number } {
  if (transfer.kind === 'arrears_payment') {
    // An answer that came before the transfer names only the contribution, which has the same id.
    const isOwn = ({ received }: Request) => [received['id'], received['transfer_id']].includes(transfer.id);
    const own = payments.find(({ request }) => isOwn(request));
    const causes = own === undefined ? payments.filter(({ request }) => isOpen(request)) : [own];
    return {
      call: earliestOf(causes.map(({ request }) => request)),
      returned: Math.min(transfer.seenAt, own?.endedBy ?? Infinity),
    };
  }
  const causes = requests.filter((request) => {
    const { meeting } = request.params;
    const isOfMeeting = meeting === undefined || transfer.meetings.length === 0 || transfer.meetings.includes(meeting);
    if (request.route !== CAUSES[transfer.kind] || !isOfMeeting) return false;
    return isOpen(request) || (isDone(request) && mayCause(request, transfer));
  });
  const seen = requests.filter((request) => shows(request, transfer)).map((request) => request.return);
  return { call: earliestOf(causes), returned: Math.min(transfer.seenAt, ...seen) };
}

/** Whether a successful request may have caused a transfer. */
function mayCause({ received }: Request, { kind, id }: WalletTransfer): boolean {
  if (kind === 'reversal') return received['subject_id'] === id;
  return kind === 'fine_payment' ? received['transfer_id'] === id : true;
}

/** Returns when the first cause was called. Without a known cause it may have been at any time. */
function earliestOf(causes: readonly Request[]): number {
  return causes.length === 0 ? 0 : Math.min(...causes.map(({ call }) => call));
}

/** Whether an answer shows that the transfer was posted. */
function shows(request: Request, { id, kind, meetings }: WalletTransfer): boolean {
  if (!isDone(request)) return false;
  const { received, route } = request;
  switch (kind) {
    case 'settlement':
      return received['id'] === id && received['status'] === 'settled';
    case 'meeting_refund':
      return received['status'] === 'cancelled' && meetings.includes(String(received['id']));
    case 'distribution_payment':
      return route.includes('/distributions') && received['status'] === 'paid' && JSON.stringify(received).includes(id);
    case 'fine_payment':
      return received['transfer_id'] === id;
    case 'reversal':
      return received['subject_id'] === id && executionOf(received) === 'done';
    default:
      return false;
  }
}
