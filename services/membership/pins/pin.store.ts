/** PINs and used ciphertexts in the database. */
import type { EntityManager } from 'typeorm';
import { KEY_LIFE_MS } from '../../../lib/idempotency/claims.ts';
import type { LockoutState } from './lockout.rules.ts';
import type { StoredPin } from './pin.rules.ts';

export type PinRow = StoredPin & LockoutState;

/** A ciphertext as it is remembered. */
export interface UsedCiphertext {
  digest: Buffer;
  /** The key that opened it; null if none did. */
  kid: string | null;
}

/** What a used ciphertext was for, where the request had an Idempotency-Key: a repeat of it may show it again. */
export interface KeyedOperation {
  key: string;
  /** Of method, path and body without PINs, so that the key stands for one request. */
  fingerprint: string;
}

/**
 * That a used ciphertext is no replay (contract, section 1): the same user, key and request, while the key lives. The
 * placeholder names the oldest use that still counts. Without a key `=` is never true. For an `ON CONFLICT`.
 */
export const sameOperation = (oldest: string): string =>
  `used_ciphertexts.user_id = EXCLUDED.user_id AND used_ciphertexts.idempotency_key = EXCLUDED.idempotency_key
     AND used_ciphertexts.fingerprint = EXCLUDED.fingerprint AND used_ciphertexts.used_at > ${oldest}`;

/** Since when uses of a key are repeats of the same operation. */
export function oldestRepeated(now: Date): Date {
  return new Date(now.getTime() - KEY_LIFE_MS);
}

/** The user's PIN, locked until the transaction ends: his attempts are judged one at a time. Null if he has none. */
export async function lockPin(manager: EntityManager, user_id: string): Promise<PinRow | null> {
  const rows: PinRow[] = await manager.query(
    `SELECT salt, hash, failed_attempts, lock_count, locked_until FROM pins WHERE user_id = $1 FOR UPDATE`,
    [user_id],
  );
  return rows[0] ?? null;
}

/** The user's PIN as it was a moment ago, without a lock. */
export async function hasPin(manager: EntityManager, user_id: string): Promise<boolean> {
  const rows: unknown[] = await manager.query(`SELECT FROM pins WHERE user_id = $1`, [user_id]);
  return rows.length > 0;
}

/**
 * Remembers the ciphertexts as used; false if one of them was used before, by anyone, or is there twice.
 * @param sealed null stands for what is no ciphertext: it is not remembered
 * @param operation makes an exception for what the same operation has used
 */
export async function consumeCiphertexts(
  manager: EntityManager,
  user_id: string,
  sealed: (UsedCiphertext | null)[],
  operation: KeyedOperation | null,
  now: Date,
): Promise<boolean> {
  const ciphertexts = sealed.filter((each) => each !== null);
  // One statement cannot meet the same row twice.
  const different = [...new Map(ciphertexts.map((each) => [each.digest.toString('hex'), each])).values()];
  // In one order everywhere, so that two transactions with the same pair cannot wait for each other.
  const ordered = different.toSorted((a, b) => Buffer.compare(a.digest, b.digest));
  const [digests, kids] = [ordered.map((each) => each.digest), ordered.map((each) => each.kid)];
  // The update changes nothing: it is how the statement tells that the row in the way is of the same operation.
  const rows: unknown[] = await manager.query(
    `INSERT INTO used_ciphertexts (digest, user_id, kid, used_at, idempotency_key, fingerprint)
     SELECT digest, $3, kid, $4, $5, $6 FROM unnest($1::bytea[], $2::text[]) AS used (digest, kid)
     ON CONFLICT (digest) DO UPDATE SET used_at = used_ciphertexts.used_at WHERE ${sameOperation('$7')}
     RETURNING digest`,
    [digests, kids, user_id, now, operation?.key ?? null, operation?.fingerprint ?? null, oldestRepeated(now)],
  );
  return rows.length === ciphertexts.length;
}

/**
 * Stores the first PIN of a user, or, where another request was faster, locks the one that stands.
 * @returns null if it was stored, the standing PIN otherwise
 */
export async function insertPin(
  manager: EntityManager,
  user_id: string,
  pin: StoredPin,
  now: Date,
): Promise<PinRow | null> {
  // The update changes nothing: it is how one statement locks and returns the row that is in the way.
  const [row]: PinRow[] = await manager.query(
    `INSERT INTO pins (user_id, salt, hash, set_at) VALUES ($1, $2, $3, $4)
     ON CONFLICT (user_id) DO UPDATE SET set_at = pins.set_at
     RETURNING salt, hash, failed_attempts, lock_count, locked_until`,
    [user_id, pin.salt, pin.hash, now],
  );
  // Salts are random: one's own is only in one's own row.
  return row === undefined || row.salt.equals(pin.salt) ? null : row;
}

/** Replaces the user's PIN and forgets his wrong attempts. */
export async function replacePin(manager: EntityManager, user_id: string, pin: StoredPin, now: Date): Promise<void> {
  await manager.query(
    `UPDATE pins SET salt = $2, hash = $3, set_at = $4, failed_attempts = 0, lock_count = 0, locked_until = NULL
     WHERE user_id = $1`,
    [user_id, pin.salt, pin.hash, now],
  );
}

export async function updateLockout(manager: EntityManager, user_id: string, state: LockoutState): Promise<void> {
  await manager.query(`UPDATE pins SET failed_attempts = $2, lock_count = $3, locked_until = $4 WHERE user_id = $1`, [
    user_id,
    state.failed_attempts,
    state.lock_count,
    state.locked_until,
  ]);
}

/** Deletes the PIN with its lock, if there is one. */
export async function deletePin(manager: EntityManager, user_id: string): Promise<void> {
  await manager.query(`DELETE FROM pins WHERE user_id = $1`, [user_id]);
}

/**
 * Forgets the ciphertexts that nothing accepts again: those of keys other than `kids` used before `before`, and those
 * that no key opened used before `unopened_before`, as a key may reach this database's nodes later.
 */
export async function pruneCiphertexts(
  manager: EntityManager,
  kids: string[],
  before: Date,
  unopened_before: Date,
): Promise<number> {
  const [, count]: [unknown, number] = await manager.query(
    `DELETE FROM used_ciphertexts
     WHERE (kid <> ALL($1::text[]) AND used_at < $2) OR (kid IS NULL AND used_at < $3)`,
    [kids, before, unopened_before],
  );
  return count;
}
