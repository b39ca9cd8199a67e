import type pg from 'pg';
import type { StoredPin } from '../domain/pin-hash.ts';
import { oldestRepeated, sameOperation } from './pins.ts';
import type { KeyedOperation, UsedCiphertext } from './pins.ts';

/**
 * One statement, one flush, for what nearly every payment is: the right PIN of a user without a wrong attempt on
 * record. It locks the row, finds it as it was when the PIN was compared, and remembers the ciphertext. False means
 * that one of this does not hold, and nothing was written.
 */
export async function acceptRightPin(
  pool: pg.Pool,
  user_id: string,
  compared: StoredPin,
  ciphertext: UsedCiphertext,
  operation: KeyedOperation | null,
  now: Date,
): Promise<boolean> {
  const { rowCount } = await pool.query({
    name: 'membership.accept_right_pin',
    text: ACCEPT,
    values: [
      user_id,
      compared.salt,
      compared.hash,
      ciphertext.digest,
      ciphertext.kid,
      now,
      operation?.key ?? null,
      operation?.fingerprint ?? null,
      oldestRepeated(now),
    ],
  });
  return rowCount === 1;
}

const ACCEPT = `
  WITH pin AS (
    SELECT user_id FROM pins
    WHERE user_id = $1 AND salt = $2 AND hash = $3
      AND failed_attempts = 0 AND lock_count = 0 AND locked_until IS NULL
    FOR UPDATE
  )
  INSERT INTO used_ciphertexts (digest, user_id, kid, used_at, idempotency_key, fingerprint)
  SELECT $4::bytea, pin.user_id, $5::text, $6::timestamptz, $7::text, $8::text FROM pin
  ON CONFLICT (digest) DO UPDATE SET used_at = used_ciphertexts.used_at WHERE ${sameOperation('$9::timestamptz')}`;
