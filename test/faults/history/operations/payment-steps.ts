import type { Operation } from '../checker.ts';
import type { Payment } from '../payments.ts';

/** What the steps of a payment do to an object. */
export interface PaymentInputs<Input> {
  take: Input;
  pay: Input;
  giveBack: Input;
}

/**
 * Returns the operations of a payment and of its attempts without an answer, which may have been refused by the ledger.
 */
export function paymentSteps<Input>(payment: Payment, inputs: PaymentInputs<Input>): Operation<Input>[] {
  const { request, outcome } = payment;
  if (outcome === 'refused') return [];
  const inVain = Array.from({ length: request.lost }, () => stepsInVain(payment, inputs));
  return [...stepsOf(payment, inputs), ...inVain.flat()];
}

/** Returns the operations of an attempt that perhaps took the due and gave it back. */
function stepsInVain<Input>(payment: Payment, inputs: PaymentInputs<Input>): Operation<Input>[] {
  const { request, endedBy } = payment;
  const times = { call: request.call, return: Math.max(request.return, endedBy), isOptional: true };
  const label = labelOf(payment);
  const take: Operation<Input> = { ...times, input: inputs.take, label: `${label}: take in vain` };
  const giveBack = { ...times, input: inputs.giveBack, needs: [take], label: `${label}: give back` };
  take.obliges = [giveBack];
  return [take, giveBack];
}

/** Returns the operations of a payment: the due is taken, and then the money moves or the due is given back. */
function stepsOf<Input>(payment: Payment, inputs: PaymentInputs<Input>): Operation<Input>[] {
  const { outcome, endedBy, request } = payment;
  const label = labelOf(payment);
  const step = (input: Input, returned: number, more: Partial<Operation<Input>>): Operation<Input> => {
    return { call: request.call, return: returned, input, label, ...more };
  };
  const isUnknown = outcome === 'unknown';
  const takenBy = isUnknown ? Infinity : Math.min(request.return, endedBy);
  const take = step(inputs.take, takenBy, { isOptional: isUnknown, label: `${label}: take` });
  const pay = step(inputs.pay, endedBy, { needs: [take], label: `${label}: pay` });
  const giveBack = step(inputs.giveBack, endedBy, { needs: [take], label: `${label}: give back` });
  if (outcome === 'paid') return [take, pay];
  if (outcome === 'given_back') return [take, giveBack];
  return [
    take,
    Object.assign(pay, { isOptional: true, neverAfter: [giveBack] }),
    Object.assign(giveBack, { isOptional: true, neverAfter: [pay] }),
  ];
}

/** Describes a payment for people. */
export function labelOf({ request, wallet, amount, outcome, outstanding }: Payment): string {
  const from = wallet === null ? 'cash' : `wallet ${wallet.slice(-6)}`;
  const left = outstanding === undefined ? '' : `, outstanding ${String(outstanding)}`;
  const code = request.code === '' ? outcome : request.code;
  return `${request.id} ${request.user} contributes ${String(amount)} from ${from} -> ${code}${left}`;
}
