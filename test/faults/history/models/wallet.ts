import type { Model } from '../checker.ts';

/** What a request did to a wallet, or learned about it. Amounts are above zero; see ../amounts.ts for their unit. */
export type WalletInput =
  /** A deposit (above zero) or a withdrawal; a repeat of the reference gives the same transfer and moves nothing. */
  | { kind: 'fund'; change: bigint; reference: string; transferId: string | null }
  | { kind: 'reference_reused'; change: bigint; reference: string }
  | { kind: 'move'; change: bigint }
  | { kind: 'insufficient_funds'; amount: bigint }
  | { kind: 'read'; balance: bigint };

export interface WalletState {
  balance: bigint;
  /** The deposits and withdrawals by reference. The transfer is null if its answer was lost. */
  funded: ReadonlyMap<string, { change: bigint; transferId: string | null }>;
}

/** A wallet: never below zero, and each reference counts once. */
export function walletModel(balance: bigint): Model<WalletState, WalletInput> {
  return {
    initial: { balance, funded: new Map() },
    step(state, input) {
      switch (input.kind) {
        case 'fund':
          return fund(state, input);
        case 'reference_reused': {
          const earlier = state.funded.get(input.reference);
          if (earlier === undefined) return { refused: `${input.reference} is not used` };
          return earlier.change === input.change ? { refused: `${input.reference} has this amount` } : { state };
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
