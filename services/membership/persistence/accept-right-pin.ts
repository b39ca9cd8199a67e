import type pg from 'pg';
import type { StoredPin } from '../pins/pin.rules.ts';
import { oldestRepeated, sameOperation } from '../pins/pin.store.ts';
import type { KeyedOperation, UsedCiphertext } from '../pins/pin.store.ts';

/** A PIN that was compared and found right. */
export interface RightPin {
  user_id: string;
  /** What it was compared with. */
  compared: StoredPin;
  ciphertext: UsedCiphertext;
  /** What it is for, if the request has an Idempotency-Key. */
  operation: KeyedOperation | null;
}

/**
 * One statement, one flush, for what nearly every payment is: the right PIN of a user without a wrong attempt on
 * record. It locks the rows, finds each as it was when the PIN was compared, and remembers the ciphertexts.
 * Locks: PINs by user, but none that it would have to wait for, as others' payments would wait too; then ciphertexts by
 * digest.
 * @param pins no two may have the same ciphertext
 * @returns for each whether all of this holds; where it does not, nothing was written for it
 */
export async function acceptRightPins(pool: pg.Pool, pins: readonly RightPin[], now: Date): Promise<boolean[]> {
  const { rows } = await pool.query<{ digest: Buffer }>({
    name: 'membership.accept_right_pins',
    text: ACCEPT,
    values: [
      pins.map(({ user_id }) => user_id),
      pins.map(({ compared }) => compared.salt),
      pins.map(({ compared }) => compared.hash),
      pins.map(({ ciphertext }) => ciphertext.digest),
      pins.map(({ ciphertext }) => ciphertext.kid),
      pins.map(({ operation }) => operation?.key ?? null),
      pins.map(({ operation }) => operation?.fingerprint ?? null),
      now,
      oldestRepeated(now),
    ],
  });
  const accepted = new Set(rows.map(({ digest }) => digest.toString('hex')));
  return pins.map(({ ciphertext }) => accepted.has(ciphertext.digest.toString('hex')));
}

const ACCEPT = `
  WITH shown AS (
    SELECT * FROM unnest($1::text[], $2::bytea[], $3::bytea[], $4::bytea[], $5::text[], $6::text[], $7::text[])
      AS shown (user_id, salt, hash, digest, kid, key, fingerprint)
  ), pin AS (
    SELECT user_id, salt, hash FROM pins
    WHERE user_id = ANY($1::text[]) AND failed_attempts = 0 AND lock_count = 0 AND locked_until IS NULL
    ORDER BY user_id FOR UPDATE SKIP LOCKED
  )
  INSERT INTO used_ciphertexts (digest, user_id, kid, used_at, idempotency_key, fingerprint)
  SELECT shown.digest, pin.user_id, shown.kid, $8::timestamptz, shown.key, shown.fingerprint
  FROM shown JOIN pin ON pin.user_id = shown.user_id AND pin.salt = shown.salt AND pin.hash = shown.hash
  ORDER BY shown.digest
  ON CONFLICT (digest) DO UPDATE SET used_at = used_ciphertexts.used_at WHERE ${sameOperation('$9::timestamptz')}
  RETURNING digest`;
