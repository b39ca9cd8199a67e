/**
 * The closing of an association as a state machine. While it is `sealing`, contribution and treasury are asked to seal
 * the association if it is empty. It ends `closed`, or goes by `unsealing` back to `reopened`. Which of the two it will
 * be is stored before anything is unsealed, so that drivers of the same closing never undo what another has completed.
 */
export const CLOSING_STATES = ['sealing', 'unsealing', 'closed', 'reopened'] as const;
export type ClosingState = (typeof CLOSING_STATES)[number];

const NEXT: Record<ClosingState, readonly ClosingState[]> = {
  sealing: ['closed', 'unsealing'],
  unsealing: ['reopened'],
  closed: [],
  reopened: [],
};

export function mayBecome(from: ClosingState, to: ClosingState): boolean {
  return NEXT[from].includes(to);
}
