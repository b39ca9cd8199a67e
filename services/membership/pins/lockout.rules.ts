/**
 * The lockout of a PIN: 5 wrong PINs in a row lock it for 15 minutes. Each further lock lasts twice as long, up to 24
 * hours, until the right PIN is given.
 */

/** Five guesses find a four-digit PIN in 1 of 2 000 cases. */
export const ATTEMPTS_MAX = 5;
export const LOCK_FIRST_MS = 15 * 60_000;
export const LOCK_MAX_MS = 24 * 3_600_000;

/** The wrong attempts and locks of a PIN. */
export interface LockoutState {
  /** Wrong PINs since the last right one or the last lock. */
  failed_attempts: number;
  /** Locks since the last right PIN. */
  lock_count: number;
  locked_until: Date | null;
}

/** The state without a wrong PIN since the last right one. */
export const CLEAN: Readonly<LockoutState> = { failed_attempts: 0, lock_count: 0, locked_until: null };

/** Whether no wrong PIN was given since the last right one. */
export function isClean(state: LockoutState): boolean {
  return state.failed_attempts === 0 && state.lock_count === 0 && state.locked_until === null;
}

/** Returns the whole seconds until the next attempt is checked, rounded up; 0 if the PIN is not locked. */
export function remainingLock_s(state: LockoutState, now: Date): number {
  if (state.locked_until === null) return 0;
  return Math.max(0, Math.ceil((state.locked_until.getTime() - now.getTime()) / 1_000));
}

/** Returns when the lock ends; null if the PIN is not locked, also if a lock has expired. */
export function lockedUntil(state: LockoutState, now: Date): Date | null {
  return remainingLock_s(state, now) > 0 ? state.locked_until : null;
}

/** Returns how many wrong PINs are left before a lock; 0 if the PIN is locked. */
export function attemptsLeft(state: LockoutState, now: Date): number {
  return lockedUntil(state, now) === null ? ATTEMPTS_MAX - state.failed_attempts : 0;
}

/** Returns how long the next lock lasts. */
export function nextLock_ms(lock_count: number): number {
  return Math.min(LOCK_FIRST_MS * 2 ** lock_count, LOCK_MAX_MS);
}

/** Returns the state after a wrong PIN that was given while unlocked, and how many more are left before a lock. */
export function countWrongAttempt(state: LockoutState, now: Date): { state: LockoutState; attempts_left: number } {
  const failed_attempts = state.failed_attempts + 1;
  if (failed_attempts < ATTEMPTS_MAX) {
    return { state: { ...state, failed_attempts, locked_until: null }, attempts_left: ATTEMPTS_MAX - failed_attempts };
  }
  const locked_until = new Date(now.getTime() + nextLock_ms(state.lock_count));
  return { state: { failed_attempts: 0, lock_count: state.lock_count + 1, locked_until }, attempts_left: 0 };
}
