import type { MEETING_STATUSES } from '../../../lib/contracts/contribution.ts';
import type { Move } from './move.ts';

export type MeetingStatus = (typeof MEETING_STATUSES)[number];

/** `settling` takes no new contributions; it ends in `settled`, or the meeting opens again (contract, "settle"). */
export const MEETING_MOVES = {
  begin_settling: { from: ['open'], to: 'settling' },
  reopen: { from: ['settling'], to: 'open' },
  settle: { from: ['settling'], to: 'settled' },
} as const satisfies Record<string, Move<MeetingStatus>>;

/** Whether a contribution may be made: arrears aside, only to an open meeting. */
export function takesContributions(status: MeetingStatus): boolean {
  return status === 'open';
}
