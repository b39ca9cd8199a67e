import type { Move } from '../meetings/move.ts';

/** `planned` is shown as `pending`; `refused` by the ledger (its meeting opened again) is never shown. */
export type SettlementStatus = 'planned' | 'settled' | 'refused';

export const SETTLEMENT_MOVES = {
  settle: { from: ['planned'], to: 'settled' },
  refuse: { from: ['planned'], to: 'refused' },
} as const satisfies Record<string, Move<SettlementStatus>>;
