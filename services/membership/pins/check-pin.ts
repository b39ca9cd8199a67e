/**
 * Checks PINs for payments and votes (authorize), and for changes of the payout wallet and of the PIN itself.
 *
 * A PIN is decrypted outside of any transaction. Then one transaction locks the row of the user's PIN, so that attempts
 * are checked one at a time, stores the ciphertext as used, and counts the attempt. It commits before the refusal is
 * thrown.
 */
import { LRUCache } from 'lru-cache';
import type { Transaction } from '../../../lib/db/db.ts';
import { groupCommit } from '../../../lib/db/group-commit.ts';
import { problem, type Problem } from '../../../lib/errors/problem.ts';
import type { PinKeyRing } from '../../../lib/pin/key-ring.ts';
import type { CallMeta } from '../../../lib/service/implement.ts';
import type { ServiceContext } from '../../../lib/service/service-context.ts';
import { pinAttempts } from '../../../lib/telemetry/metrics.ts';
import { countWrongAttempt, CLEAN, isClean, remainingLock_s } from './lockout.rules.ts';
import { decodeSealed, digestOf, freshPin, pepperOf, readPin, SALT_BYTES, type StoredPin } from './pin.rules.ts';
import { lockPin, useCiphertexts, useOfUncountedPins } from './pin.store.ts';
import type { ComparedPin, KeyedRequest, PinRow, UsedCiphertext } from './pin.store.ts';
import { pins } from './pin.table.ts';

const RIGHT_PINS = pinAttempts.labels('right');
// Present before the first attempt, from which increase() in Prometheus would otherwise count.
for (const result of ['right', 'wrong', 'locks', 'locked']) pinAttempts.inc({ result }, 0);

/** An encrypted PIN after decryption. */
export interface UnsealedPin {
  /** Null if the text cannot be a ciphertext: not base64, or of a length that does not fit any of the keys. */
  ciphertext: UsedCiphertext | null;
  /** Whether a key of this service decrypted it. An attempt that cannot be decrypted is not counted. */
  opened: boolean;
  /** Null if the text was not decrypted, or is not 4 to 12 digits. */
  pin: string | null;
}

export type PinCheck = ReturnType<typeof createPinCheck>;

/** Creates the check of PINs. It remembers the users whose attempts must be checked under the lock. */
export function createPinCheck({ db, runtime }: ServiceContext, ring: PinKeyRing) {
  const { clock } = runtime;
  const { pinPepper, secondPinPepper } = runtime.resources.secrets;
  const peppers = [pinPepper, ...(secondPinPepper === undefined ? [] : [secondPinPepper])];
  const uncounted = new UncountedAttempts();
  const use = groupCommit('used_ciphertexts', (sent: ComparedPin[]) => useOfUncountedPins(db.batches, sent, clock()), {
    runOne: async (sent) => (await useOfUncountedPins(db, [sent], clock()))[0] === true,
    // One statement cannot write the row of a ciphertext twice.
    keyOf: ({ ciphertext }) => ciphertext.digest.toString('hex'),
  });

  async function unseal(sealed: string): Promise<UnsealedPin> {
    const bytes = decodeSealed(sealed);
    if (bytes === null || !(await ring.fits(bytes))) return { ciphertext: null, opened: false, pin: null };
    const opened = await ring.open(bytes);
    return {
      ciphertext: { digest: digestOf(bytes), kid: opened?.kid ?? null },
      opened: opened !== null,
      pin: opened === null ? null : readPin(opened.plaintext),
    };
  }

  const pepperOfRight = (stored: StoredPin, user_id: string, { pin }: UnsealedPin): string | undefined =>
    pin === null ? undefined : pepperOf(peppers, stored, user_id, pin);

  /** Whether the decrypted PIN is the stored one. */
  const matches = (stored: StoredPin, user_id: string, unsealed: UnsealedPin): boolean =>
    pepperOfRight(stored, user_id, unsealed) !== undefined;

  async function checkUnderLock(
    tx: Transaction,
    user_id: string,
    unsealed: UnsealedPin,
    request: KeyedRequest | null,
    isUsedForThis = false,
  ): Promise<Problem | null> {
    const row = await lockPin(tx, user_id);
    // The time is read after the lock, because the attempt may have waited for it.
    const now = clock();
    const isUnused = isUsedForThis || (await useCiphertexts(tx, user_id, [unsealed.ciphertext], request, now));
    if (row === undefined) return problem('pin_not_set');
    if (!isUnused) return problem('pin_replayed');
    if (!unsealed.opened) return problem('pin_unreadable');
    const pepper = pepperOfRight(row, user_id, unsealed);
    const refusal = await countAttempt(tx, user_id, row, pepper !== undefined, now);
    if (refusal === null && pepper !== pinPepper && unsealed.pin !== null) {
      // The database then needs the other pepper for one PIN less.
      const fresh = freshPin(pinPepper, runtime.randomBytes(SALT_BYTES), user_id, unsealed.pin);
      await tx.orm.update(pins, { user_id }, fresh);
    }
    return refusal;
  }

  /**
   * Checks an attempt and uses up its ciphertext, right or wrong. A repeat of the same request may send it again, and
   * is checked again.
   * @param request the request of the attempt, if it has an Idempotency-Key
   * @param stored the user's PIN, if the caller has read it and no wrong attempt is recorded; a right PIN then needs no
   *   transaction
   * @returns the refusal (pin_not_set, pin_replayed, pin_unreadable, pin_locked, pin_invalid), or null if the PIN is
   *   right
   */
  async function check(
    user_id: string,
    sealed: string,
    request: KeyedRequest | null,
    stored: StoredPin | null = null,
  ): Promise<Problem | null> {
    const unsealed = await unseal(sealed);
    const { ciphertext } = unsealed;
    // Right and wrong PINs take the same steps until their ciphertext is known to be unused. Otherwise the time of
    // pin_replayed, which is not counted as an attempt, would reveal whether the ciphertext contains the right PIN.
    const useUp = async (): Promise<boolean> =>
      stored !== null && ciphertext !== null && use({ user_id, compared: stored, ciphertext, request });
    const underLock = (isUsedForThis: boolean): Promise<Problem | null> =>
      db.transaction((tx) => checkUnderLock(tx, user_id, unsealed, request, isUsedForThis));
    const isRight = stored !== null && pepperOfRight(stored, user_id, unsealed) === pinPepper;
    if (!isRight || uncounted.has(user_id)) {
      return uncounted.track(user_id, async () => underLock(await useUp()));
    }
    if (!(await useUp())) return uncounted.track(user_id, () => underLock(false));
    RIGHT_PINS.inc();
    return null;
  }

  return { unseal, matches, check };
}

/** Returns the request's Idempotency-Key with its fingerprint, which implementWrite() sets; null if it has none. */
export function keyedRequest({ idempotency }: CallMeta): KeyedRequest | null {
  if (idempotency?.fingerprint === undefined) return null;
  return { key: idempotency.key, fingerprint: idempotency.fingerprint };
}

/**
 * Counts an attempt. Must be called under the lock on the row.
 * @returns the refusal, or null if the PIN is right
 */
export async function countAttempt(
  tx: Transaction,
  user_id: string,
  row: PinRow,
  isRight: boolean,
  now: Date,
): Promise<Problem | null> {
  const retry_after_s = remainingLock_s(row, now);
  if (retry_after_s > 0) {
    pinAttempts.inc({ result: 'locked' });
    return problem('pin_locked', { retry_after_s });
  }
  if (isRight) {
    if (!isClean(row)) await tx.orm.update(pins, { user_id }, CLEAN);
    RIGHT_PINS.inc();
    return null;
  }
  const { state, attempts_left } = countWrongAttempt(row, now);
  await tx.orm.update(pins, { user_id }, state);
  pinAttempts.inc({ result: state.locked_until === null ? 'wrong' : 'locks' });
  return problem('pin_invalid', { attempts_left });
}

/** An entry has about 100 bytes, and is added only if a check fails, such as while the database is unavailable. */
const LOST_MAX_USERS = 100_000;

/**
 * The users with an attempt that is being checked under the lock, or whose check there failed. Their next attempts must
 * be checked under the lock too: otherwise, of many concurrent guesses, the right one would pass before the wrong ones
 * are counted.
 */
class UncountedAttempts {
  readonly #underWay = new Map<string, number>();
  /** With `maxSize` in place of `max`, no memory is reserved for entries that seldom exist. */
  readonly #lost = new LRUCache<string, true>({ maxSize: LOST_MAX_USERS, sizeCalculation: () => 1 });

  has(user_id: string): boolean {
    return this.#underWay.has(user_id) || this.#lost.has(user_id);
  }

  /** Runs a check under the lock. If it throws, has() stays true for the user until a later check succeeds. */
  async track<T>(user_id: string, check: () => Promise<T>): Promise<T> {
    this.#count(user_id, 1);
    try {
      const result = await check();
      this.#lost.delete(user_id);
      return result;
    } catch (error) {
      this.#lost.set(user_id, true);
      throw error;
    } finally {
      this.#count(user_id, -1);
    }
  }

  #count(user_id: string, change: 1 | -1): void {
    const under_way = (this.#underWay.get(user_id) ?? 0) + change;
    if (under_way === 0) this.#underWay.delete(user_id);
    else this.#underWay.set(user_id, under_way);
  }
}
