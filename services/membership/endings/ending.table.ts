/**
 * The end of an association or of a membership as a state machine (ADR 17). Whether it will be `done` or `refused` is
 * stored before any lock is lifted, so that drivers of the same ending never undo what another has completed.
 */
export const ENDING_STATES = ['locking', 'unlocking', 'done', 'refused'] as const;
export type EndingState = (typeof ENDING_STATES)[number];

const NEXT: Record<EndingState, readonly EndingState[]> = {
  locking: ['done', 'unlocking'],
  unlocking: ['refused'],
  done: [],
  refused: [],
};

export function mayBecome(from: EndingState, to: EndingState): boolean {
  return NEXT[from].includes(to);
}
