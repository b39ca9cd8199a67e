import type { MEETING_STATUSES } from '../../../lib/contracts/contribution.ts';
import type { Move } from './move.ts';

export type MeetingStatus = (typeof MEETING_STATUSES)[number];

/**
 * `settling` takes no new contributions; it ends in `settled`, or for a meeting that is called off in `cancelled`, or
 * the meeting opens again (contract, "settle").
 */
export const MEETING_MOVES = {
  begin_settling: { from: ['open'], to: 'settling' },
  reopen: { from: ['settling'], to: 'open' },
  settle: { from: ['settling'], to: 'settled' },
  cancel: { from: ['settling'], to: 'cancelled' },
} as const satisfies Record<string, Move<MeetingStatus>>;

/** Whether a contribution may be made to its pool. */
export function takesContributions(status: MeetingStatus): boolean {
  return status === 'open';
}

/** Whether what is still owed from it may be paid. */
export function takesArrears(status: MeetingStatus): boolean {
  return status === 'settled';
}

/** A meeting that has not ended. */
export const LIVE_MEETING_STATUSES = ['open', 'settling'] as const satisfies readonly MeetingStatus[];
