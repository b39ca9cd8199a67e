import type { Model } from '../checker.ts';

/** What a request did to a member's due for a meeting, or learned about it. */
export type DueInput =
  | { kind: 'take'; amount: bigint }
  | { kind: 'give_back'; amount: bigint }
  /** What was paid is in flight again, until the ledger has decided about its reversal. */
  | { kind: 'take_back'; amount: bigint }
  /** `outstanding` is what the answer shows as left; undefined if there was no answer. */
  | { kind: 'pay'; amount: bigint; outstanding: bigint | undefined }
  /** `held`: what else may have been in flight, of attempts that the ledger refused without an answer. */
  | { kind: 'exceeds_due'; amount: bigint; outstanding: bigint; held: ReadonlySet<bigint> }
  | { kind: 'read'; due: bigint | undefined; paid: bigint | undefined; outstanding: bigint }
  /** The meeting was settled, and left the member with arrears. */
  | { kind: 'owe_arrears' }
  /** The meeting was cancelled, and everything was paid back. */
  | { kind: 'refund' };

export interface DueState {
  /** What is paid or in flight. */
  taken: bigint;
  paid: bigint;
  /** Whether arrears are owed. Creditors are paid by set-offs too, so only what is always true is checked from then on. */
  inArrears: boolean;
}

/**
 * The due of a member: never more is taken than is due, and a payment in flight counts as taken.
 * @param due null outside a cycle, where nothing is owed and any amount may be paid
 */
export function dueModel(due: bigint | null, paid: bigint): Model<DueState, DueInput> {
  const left = (amount: bigint) => (due === null ? 0n : due - amount);
  return {
    initial: { taken: paid, paid, inArrears: false },
    step(state, input) {
      const { kind } = input;
      if (kind === 'owe_arrears') return { state: { ...state, inArrears: true } };
      if (kind === 'refund') return { state: { ...state, taken: 0n, paid: 0n } };
      if (state.inArrears) return stepInArrears(state, input);
      switch (kind) {
        case 'take': {
          const taken = state.taken + input.amount;
          if (due !== null && taken > due) return { refused: `only ${String(left(state.taken))} is left to take` };
          return { state: { ...state, taken } };
        }
        case 'give_back':
          return { state: { ...state, taken: state.taken - input.amount } };
        case 'take_back':
          return { state: { ...state, paid: state.paid - input.amount } };
        case 'pay': {
          const next = { ...state, paid: state.paid + input.amount };
          const outstanding = left(next.paid);
          if (input.outstanding === undefined || input.outstanding === outstanding) return { state: next };
          return { refused: `${String(outstanding)} is outstanding then` };
        }
        case 'exceeds_due': {
          const rest = left(state.taken);
          if (due === null) return { refused: 'nothing is due, so any amount may be paid' };
          if (input.amount <= input.outstanding) return { refused: `${String(input.outstanding)} suffices` };
          return input.held.has(rest - input.outstanding) ? { state } : { refused: `${String(rest)} is left to take` };
        }
        case 'read':
          return read(state, input, due);
      }
    },
    show: ({ taken, paid: amount, inArrears }) =>
      `${String(amount)} paid, ${String(taken)} taken of ${due === null ? 'any' : String(due)}${inArrears ? ', arrears' : ''}`,
  };
}

function read(state: DueState, { paid, outstanding, ...shown }: DueInput & { kind: 'read' }, due: bigint | null) {
  const owed = due ?? 0n;
  if (shown.due !== undefined && shown.due !== owed) return { refused: `${String(owed)} is due` };
  if (paid !== undefined && paid !== state.paid) return { refused: `${String(state.paid)} is paid` };
  const isRight = outstanding === (due === null ? 0n : due - state.paid);
  return isRight ? { state } : { refused: `${String(state.paid)} is paid of ${String(owed)}` };
}

function stepInArrears(state: DueState, input: DueInput) {
  if (input.kind !== 'read' || input.paid === undefined) return { state };
  if (input.paid < state.paid) return { refused: `${String(state.paid)} is paid already` };
  return { state: { ...state, paid: input.paid, taken: input.paid } };
}
