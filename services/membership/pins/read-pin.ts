import type { ActionSchema } from 'moleculer';
import { pinState } from '../../../lib/contracts/membership.ts';
import { implement } from '../../../lib/service/implement.ts';
import type { MembershipDeps } from '../deps.ts';
import { attemptsLeft, CLEAN, lockedUntil } from './lockout.rules.ts';
import { pins } from './pin.table.ts';

/** Reads whether the caller has a PIN, and its lock. */
export function pinStateAction({ reads, runtime }: MembershipDeps): ActionSchema {
  return implement(pinState, async (_input, { user_id }) => {
    const stored = await reads.orm.findOneBy(pins, { user_id });
    const state = stored ?? CLEAN;
    const now = runtime.clock();
    return {
      set: stored !== null,
      locked_until: lockedUntil(state, now)?.toISOString() ?? null,
      attempts_left: attemptsLeft(state, now),
    };
  });
}
