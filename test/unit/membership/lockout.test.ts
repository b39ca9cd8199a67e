import { expect } from 'chai';
import fc from 'fast-check';
import {
  attemptsLeft,
  countWrongAttempt,
  ATTEMPTS_MAX,
  CLEAN,
  isClean,
  LOCK_FIRST_MS,
  LOCK_MAX_MS,
  lockedUntil,
  remainingLock_s,
  nextLock_ms,
} from '../../../services/membership/pins/lockout.rules.ts';
import type { LockoutState } from '../../../services/membership/pins/lockout.rules.ts';

const NOW = new Date('2026-03-01T12:00:00.000Z');
const MINUTE_MS = 60_000;

/** Returns the lengths of the locks after these wrong PINs, each sent as soon as no lock is in effect. */
function locksOf(attempts: number): number[] {
  let state: LockoutState = { ...CLEAN };
  let now = NOW;
  const locks_ms: number[] = [];
  for (let n = 0; n < attempts; n += 1) {
    ({ state } = countWrongAttempt(state, now));
    if (state.locked_until === null) continue;
    locks_ms.push(state.locked_until.getTime() - now.getTime());
    now = state.locked_until;
  }
  return locks_ms;
}

describe('the lockout of a PIN', () => {
  it('shows as many attempts left as are refused without a lock, and none until the lock ends', () => {
    let state: LockoutState = { ...CLEAN };
    expect([attemptsLeft(state, NOW), lockedUntil(state, NOW)]).to.deep.equal([ATTEMPTS_MAX, null]);
    for (let n = 1; n <= ATTEMPTS_MAX; n += 1) {
      const counted = countWrongAttempt(state, NOW);
      ({ state } = counted);
      expect(attemptsLeft(state, NOW)).to.equal(counted.attempts_left);
    }
    const end = new Date(NOW.getTime() + LOCK_FIRST_MS);
    expect(lockedUntil(state, new Date(end.getTime() - 1))).to.deep.equal(end);
    expect([attemptsLeft(state, end), lockedUntil(state, end)]).to.deep.equal([ATTEMPTS_MAX, null]);
  });

  it('lasts 15 minutes at first, then twice as long each time, up to 24 hours', () => {
    const minutes = locksOf(9 * ATTEMPTS_MAX).map((ms) => ms / MINUTE_MS);
    expect(minutes).to.deep.equal([15, 30, 60, 120, 240, 480, 960, 1_440, 1_440]);
  });

  it('is never shorter than the first lock nor longer than the maximum, after any number of locks', () => {
    fc.assert(
      fc.property(fc.nat({ max: 2_000_000_000 }), (lock_count) => {
        const lock_ms = nextLock_ms(lock_count);
        expect(lock_ms).to.be.within(LOCK_FIRST_MS, LOCK_MAX_MS);
        expect(nextLock_ms(lock_count + 1)).to.equal(Math.min(lock_ms * 2, LOCK_MAX_MS));
      }),
    );
  });

  it('ends exactly at its time, and its rest is rounded up to whole seconds', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2 * LOCK_FIRST_MS }), (elapsed_ms) => {
        const locked_until = new Date(NOW.getTime() + LOCK_FIRST_MS);
        const locked: LockoutState = { failed_attempts: 0, lock_count: 1, locked_until };
        const wait_s = remainingLock_s(locked, new Date(NOW.getTime() + elapsed_ms));
        const left_ms = LOCK_FIRST_MS - elapsed_ms;
        if (left_ms <= 0) expect(wait_s).to.equal(0);
        else expect(wait_s * 1_000).to.be.within(left_ms, left_ms + 999);
      }),
    );
  });

  it('starts again at fifteen minutes from a clean state, which has no wrong attempts and no locks', () => {
    expect(isClean(CLEAN)).to.equal(true);
    const { state } = countWrongAttempt(CLEAN, NOW);
    expect(isClean(state)).to.equal(false);
    expect(isClean({ ...CLEAN, lock_count: 1 })).to.equal(false);
    expect(nextLock_ms(CLEAN.lock_count)).to.equal(LOCK_FIRST_MS);
  });
});
