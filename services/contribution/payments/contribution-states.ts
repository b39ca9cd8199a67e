import type { CONTRIBUTION_STATUSES } from '../../../lib/contracts/contribution.ts';
import type { Move } from '../meetings/move.ts';

/** What clients see of a contribution. */
export type ShownContributionStatus = (typeof CONTRIBUTION_STATUSES)[number];

/** `refused` was answered with a 4xx and is never shown; `failed` was first answered with 202. */
export type ContributionStatus = ShownContributionStatus | 'refused';

/** Each contribution is decided once: whoever asked the ledger first to know, its request or the sweeper, decides. */
export const CONTRIBUTION_MOVES = {
  pay: { from: ['pending'], to: 'paid' },
  fail: { from: ['pending'], to: 'failed' },
  refuse: { from: ['pending'], to: 'refused' },
} as const satisfies Record<string, Move<ContributionStatus>>;
