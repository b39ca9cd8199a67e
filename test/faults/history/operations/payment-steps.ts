import type { Operation } from '../checker.ts';
import type { Payment } from '../payments.ts';
import type { Request } from '../requests.ts';

/** What is known of a payment of a due or a fine. */
type AnyPayment = Omit<Payment, 'meeting' | 'member'>;

/** What the steps of a payment do to an object. */
export interface PaymentInputs<Input> {
  take: Input;
  pay: Input;
  giveBack: Input;
}

/** Returns the operations of a payment: the due is taken, and then the money moves or the due is given back. */
export function paymentSteps<Input>(payment: AnyPayment, inputs: PaymentInputs<Input>): Operation<Input>[] {
  const { outcome, endsFrom, endedBy, request } = payment;
  if (outcome === 'refused') return [];
  const label = labelOf(payment);
  const step = (input: Input, returned: number, more: Partial<Operation<Input>>): Operation<Input> => {
    return { call: request.call, return: returned, input, label, ...more };
  };
  const isUnknown = outcome === 'unknown';
  const takenBy = isUnknown ? Infinity : Math.min(request.return, endedBy);
  const take = step(inputs.take, takenBy, { isOptional: isUnknown, label: `${label}: take` });
  // Without a decision, cash ends when its time is over.
  const end = { call: Number.isFinite(endsFrom) ? endsFrom : request.call, needs: [take] };
  const pay = step(inputs.pay, endedBy, { ...end, label: `${label}: pay` });
  const giveBack = step(inputs.giveBack, endedBy, { ...end, label: `${label}: give back` });
  if (outcome === 'paid') return [take, pay];
  if (outcome === 'given_back') return [take, giveBack];
  if (outcome === 'open' && !Number.isFinite(endsFrom)) return [take];
  return [
    take,
    Object.assign(pay, { isOptional: true, neverAfter: [giveBack] }),
    Object.assign(giveBack, { isOptional: true, neverAfter: [pay] }),
  ];
}

/** Describes a payment for people. */
export function labelOf({ request, wallet, amount, outcome, outstanding }: AnyPayment): string {
  const from = wallet === null ? 'cash' : `wallet ${wallet.slice(-6)}`;
  const left = outstanding === undefined ? '' : `, outstanding ${String(outstanding)}`;
  const code = request.code === '' ? outcome : request.code;
  return `${request.id} ${request.user} pays ${String(amount)} from ${from} -> ${code}${left}`;
}

/** Returns the payments with attempts without an answer during a request. The ledger may have refused such attempts. */
export function lostDuring<P extends AnyPayment>(request: Request, payments: readonly P[]): P[] {
  return payments.filter(({ request: other, endedBy }) => {
    const over = Math.max(other.return, endedBy);
    return other !== request && other.lost > 0 && other.call <= request.return && request.call <= over;
  });
}

/** Returns the sums of all subsets, up to a limit. */
export function sumsOf(amounts: readonly bigint[], max: bigint): Set<bigint> {
  const sums = new Set([0n]);
  for (const amount of amounts) for (const sum of [...sums]) if (sum + amount <= max) sums.add(sum + amount);
  return sums;
}
