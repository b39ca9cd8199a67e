import type { Model } from '../checker.ts';

/** What a request did to a fine, or learned about it. */
export type FineInput =
  | { kind: 'take' | 'give_back' | 'pay'; amount: bigint }
  /** What was paid is in flight again, until the ledger has decided about its reversal. */
  | { kind: 'take_back'; amount: bigint }
  | { kind: 'waive' }
  /** `held`: what else may have been in flight, of attempts that the ledger refused without an answer. */
  | { kind: 'exceeded'; amount: bigint; outstanding: bigint; held: ReadonlySet<bigint> }
  | { kind: 'not_due' }
  | { kind: 'read'; status: string; paid: bigint; outstanding: bigint };

export interface FineState {
  /** What is paid or in flight. */
  taken: bigint;
  paid: bigint;
  isWaived: boolean;
}

/** A fine: never more is taken than its amount, and it is waived only while nothing is in flight. */
export function fineModel(amount: bigint): Model<FineState, FineInput> {
  const statusOf = ({ paid, isWaived }: FineState) => (isWaived ? 'waived' : paid === amount ? 'paid' : 'due');
  const show = (state: FineState) =>
    `${statusOf(state)}, ${String(state.paid)} paid, ${String(state.taken)} taken of ${String(amount)}`;
  return {
    initial: { taken: 0n, paid: 0n, isWaived: false },
    step(state, input) {
      const isDue = statusOf(state) === 'due';
      const refused = { refused: `it is ${show(state)}` };
      const left = amount - state.taken;
      switch (input.kind) {
        case 'take':
          return isDue && input.amount <= left ? { state: { ...state, taken: state.taken + input.amount } } : refused;
        case 'give_back':
          return { state: { ...state, taken: state.taken - input.amount } };
        case 'pay':
          return { state: { ...state, paid: state.paid + input.amount } };
        case 'take_back':
          return { state: { ...state, paid: state.paid - input.amount } };
        case 'waive':
          return isDue && state.taken === state.paid ? { state: { ...state, isWaived: true } } : refused;
        case 'exceeded': {
          if (input.amount <= input.outstanding) return { refused: `${String(input.outstanding)} suffices` };
          return isDue && input.held.has(left - input.outstanding) ? { state } : refused;
        }
        case 'not_due':
          return isDue ? refused : { state };
        case 'read': {
          const outstanding = isDue ? amount - state.paid : 0n;
          const isRight =
            input.status === statusOf(state) && input.paid === state.paid && input.outstanding === outstanding;
          return isRight ? { state } : refused;
        }
      }
    },
    show,
  };
}
