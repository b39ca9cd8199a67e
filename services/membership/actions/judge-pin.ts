/**
 * The one place where a PIN is judged (contract, section 3, "PIN"): for payments and votes (authorize), for changing
 * the payout wallet, and for changing the PIN itself.
 *
 * Decryption comes first, outside of any transaction. Then one transaction locks the row of the user's PIN, so that his
 * attempts are judged one at a time, remembers the ciphertext, and counts. It commits before the refusal is thrown.
 */
import type { EntityManager } from 'typeorm';
import { problem } from '../../../lib/errors/problem.ts';
import type { Problem } from '../../../lib/errors/problem.ts';
import type { Database } from '../../../lib/db/database.ts';
import type { PinKeyRing } from '../../../lib/pin/key-ring.ts';
import type { Clock } from '../../../lib/node/runtime.ts';
import { afterWrong, CLEAN, isClean, lockedFor_s } from '../domain/lockout.ts';
import { isPin } from '../domain/pin-hash.ts';
import type { StoredPin } from '../domain/pin-hash.ts';
import { decodeSealed, digestOf, readPin } from '../domain/sealed-pin.ts';
import type { CallMeta } from '../../../lib/service/implement.ts';
import type { GatheredStatements } from '../persistence/gathered.ts';
import { consumeCiphertexts, lockPin, updateLockout } from '../persistence/pins.ts';
import type { KeyedOperation, PinRow, UsedCiphertext } from '../persistence/pins.ts';
import { UncountedAttempts } from './uncounted-attempts.ts';

/** A sealed PIN after decryption. */
export interface UnsealedPin {
  /** Null for what cannot be one: not base64, or of a length that no key of ours gives. */
  ciphertext: UsedCiphertext | null;
  /** Whether one of our keys opened it. What none opens is no guess, and does not count. */
  opened: boolean;
  /** Null if it did not open, or to something else than 4 to 12 digits. */
  pin: string | null;
}

export interface PinJudge {
  unseal(sealed: string): Promise<UnsealedPin>;
  /** Whether it is the PIN that is stored. */
  matches(stored: StoredPin, user_id: string, unsealed: UnsealedPin): boolean;
  /**
   * Judges one attempt and uses up its ciphertext whatever the verdict. A repeat of the same operation may show it
   * again, and is judged again.
   * @param operation what the attempt is for, if the request has an Idempotency-Key
   * @param stored the user's PIN if it was read already: spares the right PIN a transaction
   * @returns the refusal (pin_not_set, pin_replayed, pin_unreadable, pin_locked, pin_invalid), or null if the PIN is right
   */
  judge(
    user_id: string,
    sealed: string,
    operation: KeyedOperation | null,
    stored?: StoredPin | null,
  ): Promise<Problem | null>;
}

export interface PinJudgeParts {
  db: Pick<Database, 'transaction'>;
  gathered: Pick<GatheredStatements, 'acceptRightPin'>;
  ring: PinKeyRing;
  clock: Clock;
  pepper: string;
}

export function pinJudge({ db, gathered, ring, clock, pepper }: PinJudgeParts): PinJudge {
  const unseal = async (sealed: string): Promise<UnsealedPin> => {
    const bytes = decodeSealed(sealed);
    if (bytes === null || !(await ring.fits(bytes))) return { ciphertext: null, opened: false, pin: null };
    const opened = await ring.open(bytes);
    return {
      ciphertext: { digest: digestOf(bytes), kid: opened?.kid ?? null },
      opened: opened !== null,
      pin: opened === null ? null : readPin(opened.plaintext),
    };
  };
  const matches = (stored: StoredPin, user_id: string, { pin }: UnsealedPin): boolean =>
    pin !== null && isPin(pepper, stored, user_id, pin);

  const uncounted = new UncountedAttempts();

  async function judgeAttempt(
    manager: EntityManager,
    user_id: string,
    unsealed: UnsealedPin,
    operation: KeyedOperation | null,
  ): Promise<Problem | null> {
    const row = await lockPin(manager, user_id);
    // The time of the judgement: an attempt may have waited for others on the lock.
    const now = clock();
    const unused = await consumeCiphertexts(manager, user_id, [unsealed.ciphertext], operation, now);
    if (row === null) return problem('pin_not_set');
    if (!unused) return problem('pin_replayed');
    if (!unsealed.opened) return problem('pin_unreadable');
    return countAttempt(manager, user_id, row, matches(row, user_id, unsealed), now);
  }

  return {
    unseal,
    matches,
    async judge(user_id, sealed, operation, stored = null) {
      const unsealed = await unseal(sealed);
      const { ciphertext } = unsealed;
      const mayGoAhead = stored !== null && !uncounted.has(user_id);
      if (ciphertext !== null && mayGoAhead && matches(stored, user_id, unsealed)) {
        if (await gathered.acceptRightPin({ user_id, compared: stored, ciphertext, operation })) return null;
      }
      const judgeUnderLock = (manager: EntityManager) => judgeAttempt(manager, user_id, unsealed, operation);
      return uncounted.during(user_id, () => db.transaction(judgeUnderLock));
    },
  };
}

/** What the request's Idempotency-Key stands for; null if it has none. */
export function keyedOperation({ idempotency }: CallMeta): KeyedOperation | null {
  return idempotency === undefined ? null : { key: idempotency.key, fingerprint: idempotency.fingerprint ?? '' };
}

/** Counts an attempt under the lock on the row; returns its refusal, or null if the PIN is right. */
export async function countAttempt(
  manager: EntityManager,
  user_id: string,
  row: PinRow,
  isRight: boolean,
  now: Date,
): Promise<Problem | null> {
  const retry_after_s = lockedFor_s(row, now);
  if (retry_after_s > 0) return problem('pin_locked', { retry_after_s });
  if (isRight) {
    if (!isClean(row)) await updateLockout(manager, user_id, CLEAN);
    return null;
  }
  const { state, attempts_left } = afterWrong(row, now);
  await updateLockout(manager, user_id, state);
  return problem('pin_invalid', { attempts_left });
}
