import type { Model } from '../checker.ts';

/** What a request did to a wallet, or learned about it. Amounts are above zero; see ../amounts.ts for their unit. */
export type WalletInput =
  /** A deposit (above zero) or a withdrawal; a repeat of the reference gives the same transfer and moves nothing. */
  | { kind: 'fund'; change: bigint; reference: string; transferId: string | null }
  | { kind: 'reference_reused'; change: bigint; reference: string }
  /** While a withdrawal is not decided, its reference is used; if it is refused, no longer. */
  | { kind: 'hold_reference' | 'drop_reference'; change: bigint; reference: string }
  | { kind: 'move'; change: bigint }
  | { kind: 'insufficient_funds'; amount: bigint }
  | { kind: 'read'; balance: bigint };

export interface WalletState {
  balance: bigint;
  /** The deposits and withdrawals by reference. The transfer is null if its answer was lost. */
  funded: ReadonlyMap<string, { change: bigint; transferId: string | null }>;
  /** The references and amounts of withdrawals that are not decided. */
  held: readonly (readonly [reference: string, change: bigint])[];
}

/** A wallet: never below zero, and each reference counts once. */
export function walletModel(balance: bigint): Model<WalletState, WalletInput> {
  return {
    initial: { balance, funded: new Map(), held: [] },
    step(state, input) {
      switch (input.kind) {
        case 'fund':
          return fund(state, input);
        case 'hold_reference':
          return { state: { ...state, held: [...state.held, [input.reference, input.change]] } };
        case 'drop_reference':
          return { state: { ...state, held: withoutOne(state.held, input.reference, input.change) } };
        case 'reference_reused': {
          const { change } = state.funded.get(input.reference) ?? {};
          const others = [...state.held.filter(([reference]) => reference === input.reference).map(([, held]) => held)];
          const used = change === undefined ? others : [change, ...others];
          return used.some((each) => each !== input.change)
            ? { state }
            : { refused: 'no other amount has the reference' };
        }
        case 'move':
          return move(state, input.change);
        case 'insufficient_funds':
          return state.balance < input.amount ? { state } : { refused: `its ${String(state.balance)} suffice` };
        case 'read':
          return state.balance === input.balance ? { state } : { refused: `it has ${String(state.balance)}` };
      }
    },
    show: ({ balance: amount }) => String(amount),
  };
}

function withoutOne(held: WalletState['held'], reference: string, change: bigint): WalletState['held'] {
  const place = held.findIndex(([one, amount]) => one === reference && amount === change);
  return held.toSpliced(place, 1);
}

function fund(state: WalletState, { change, reference, transferId }: WalletInput & { kind: 'fund' }) {
  const earlier = state.funded.get(reference);
  if (earlier === undefined) {
    const moved = move(state, change);
    if ('refused' in moved) return moved;
    return { state: { ...moved.state, funded: new Map([...state.funded, [reference, { change, transferId }]]) } };
  }
  if (earlier.change !== change) return { refused: `${reference} has another amount` };
  if (transferId === null || earlier.transferId === transferId) return { state };
  if (earlier.transferId !== null) return { refused: `${reference} has another transfer` };
  return { state: { ...state, funded: new Map([...state.funded, [reference, { change, transferId }]]) } };
}

function move(state: WalletState, change: bigint) {
  const balance = state.balance + change;
  if (balance < 0n) return { refused: `it has only ${String(state.balance)}` };
  return { state: { ...state, balance } };
}
