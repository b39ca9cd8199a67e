import type { Move } from '../meetings/move.ts';

/**
 * `starting` and `refusing` are stored steps of a start that is under way: the members are being bound, or let go again
 * because the cycle cannot start. Only `running` and `completed` cycles are shown.
 */
export type CycleStatus = 'starting' | 'refusing' | 'refused' | 'running' | 'completed';

export const CYCLE_MOVES = {
  run: { from: ['starting'], to: 'running' },
  begin_refusing: { from: ['starting'], to: 'refusing' },
  refuse: { from: ['refusing'], to: 'refused' },
  complete: { from: ['running'], to: 'completed' },
} as const satisfies Record<string, Move<CycleStatus>>;

/** What clients see. */
export const SHOWN_CYCLE_STATUSES = ['running', 'completed'] as const satisfies readonly CycleStatus[];

/** What an association can have one of: a cycle that has not ended, or is not given up yet. */
export const LIVE_CYCLE_STATUSES = ['starting', 'refusing', 'running'] as const satisfies readonly CycleStatus[];

/** What may yet be refused: nobody has been told of such a cycle. */
export const UNDECIDED_CYCLE_STATUSES = ['starting', 'refusing'] as const satisfies readonly CycleStatus[];
