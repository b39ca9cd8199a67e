/** PINs and used ciphertexts in the database, and the PIN keys and pepper of the membership nodes that share it. */
import type { Db } from '../../../lib/db/db.ts';
import { KEY_LIFE_MS } from '../../../lib/idempotency/claims.ts';
import type { LockoutState } from './lockout.rules.ts';
import type { FreshPin, StoredPin } from './pin.rules.ts';

/** A stored PIN with its lockout. */
export type PinRow = StoredPin & LockoutState;

/** A ciphertext as it is stored. */
export interface UsedCiphertext {
  digest: Buffer;
  /** The key that decrypted it; null if none did. */
  kid: string | null;
}

/** A request with an Idempotency-Key. A repeat of the request may send the same ciphertext again. */
export interface KeyedRequest {
  key: string;
  /** The hash of method, path and body; without PINs, unless the request sets one. */
  fingerprint: string;
}

/**
 * Returns the SQL condition, for an `ON CONFLICT`, that is true if a used ciphertext comes from a repeat and not from a
 * replay: it has the same user, key and fingerprint. Never true without a key.
 * @param oldest the placeholder for oldestRepeated()
 */
const isSameRequest = (oldest: string): string =>
  `used_ciphertexts.user_id = EXCLUDED.user_id AND used_ciphertexts.idempotency_key = EXCLUDED.idempotency_key
     AND used_ciphertexts.fingerprint = EXCLUDED.fingerprint AND used_ciphertexts.used_at > ${oldest}`;

/**
 * How long a repeat may send its ciphertext again. It ends before the key's life, by the hours by which the clocks of two services
 * can differ: a ciphertext must never authorize a new operation under a key that another service takes for expired.
 */
const REPEATS_MS = KEY_LIFE_MS - 4 * 60 * 60_000;

/** Returns the time since which uses of ciphertexts can be repeated. */
function oldestRepeated(now: Date): Date {
  return new Date(now.getTime() - REPEATS_MS);
}

/** A sent PIN that was compared with the stored one. */
export interface ComparedPin {
  user_id: string;
  /** The stored PIN at the time of the comparison. */
  compared: StoredPin;
  ciphertext: UsedCiphertext;
  request: KeyedRequest | null;
}

const USE_OF_UNCOUNTED = {
  name: 'membership.use_of_uncounted_pins',
  text: `
    WITH sent AS (
      SELECT * FROM unnest($1::text[], $2::bytea[], $3::bytea[], $4::bytea[], $5::text[], $6::text[], $7::text[])
        AS sent (user_id, salt, hash, digest, kid, key, fingerprint)
    ), pin AS (
      SELECT user_id, salt, hash FROM pins
      WHERE user_id = ANY($1::text[]) AND failed_attempts = 0 AND lock_count = 0 AND locked_until IS NULL
      ORDER BY user_id FOR UPDATE SKIP LOCKED
    )
    INSERT INTO used_ciphertexts (digest, user_id, kid, used_at, idempotency_key, fingerprint)
    SELECT sent.digest, pin.user_id, sent.kid, $8::timestamptz, sent.key, sent.fingerprint
    FROM sent JOIN pin ON pin.user_id = sent.user_id AND pin.salt = sent.salt AND pin.hash = sent.hash
    ORDER BY sent.digest
    ON CONFLICT (digest) DO UPDATE SET used_at = used_ciphertexts.used_at WHERE ${isSameRequest('$9::timestamptz')}
    RETURNING digest`,
};

/**
 * Stores the ciphertexts of users without a recorded wrong attempt, who are nearly all users, as used, in one statement. It
 * checks that each row has not changed since the PIN was compared, so that a right PIN is then accepted. Locks: PINs by
 * user, skipping locked rows because the whole batch would wait; then ciphertexts by digest.
 * @param sent each must have a different ciphertext
 * @returns whether each ciphertext was stored; nothing was written for the others
 */
export async function useOfUncountedPins(db: Db, sent: readonly ComparedPin[], now: Date): Promise<boolean[]> {
  const rows = await db.rows<{ digest: Buffer }>(USE_OF_UNCOUNTED, [
    sent.map(({ user_id }) => user_id),
    sent.map(({ compared }) => compared.salt),
    sent.map(({ compared }) => compared.hash),
    sent.map(({ ciphertext }) => ciphertext.digest),
    sent.map(({ ciphertext }) => ciphertext.kid),
    sent.map(({ request }) => request?.key ?? null),
    sent.map(({ request }) => request?.fingerprint ?? null),
    now,
    oldestRepeated(now),
  ]);
  const used = new Set(rows.map(({ digest }) => digest.toString('hex')));
  return sent.map(({ ciphertext }) => used.has(ciphertext.digest.toString('hex')));
}

/** Reads the user's PIN and locks it until the transaction ends, so that attempts are checked one at a time. */
export function lockPin(tx: Db, user_id: string): Promise<PinRow | undefined> {
  return tx.first(
    'SELECT salt, hash, failed_attempts, lock_count, locked_until FROM pins WHERE user_id = $1 FOR UPDATE',
    [user_id],
  );
}

/**
 * Stores the ciphertexts as used.
 * @param sent null for a text that cannot be a ciphertext; it is not stored
 * @param request the keyed request; ciphertexts that it has already used are accepted
 * @returns false if a ciphertext was used before, by any user, or is given twice
 */
export async function useCiphertexts(
  tx: Db,
  user_id: string,
  sent: (UsedCiphertext | null)[],
  request: KeyedRequest | null,
  now: Date,
): Promise<boolean> {
  const ciphertexts = sent.filter((each) => each !== null);
  // One statement cannot write the same row twice.
  const different = [...new Map(ciphertexts.map((each) => [each.digest.toString('hex'), each])).values()];
  // Sorted, so that two transactions with the same pair cannot deadlock.
  const ordered = different.toSorted((a, b) => Buffer.compare(a.digest, b.digest));
  // The update changes no value. It makes the statement count an existing row of the same request.
  const used = await tx.run(
    `INSERT INTO used_ciphertexts (digest, user_id, kid, used_at, idempotency_key, fingerprint)
     SELECT digest, $3, kid, $4, $5, $6 FROM unnest($1::bytea[], $2::text[]) AS used (digest, kid)
     ON CONFLICT (digest) DO UPDATE SET used_at = used_ciphertexts.used_at WHERE ${isSameRequest('$7')}`,
    [
      ordered.map(({ digest }) => digest),
      ordered.map(({ kid }) => kid),
      user_id,
      now,
      request?.key ?? null,
      request?.fingerprint ?? null,
      oldestRepeated(now),
    ],
  );
  return used === ciphertexts.length;
}

/**
 * Stores the first PIN of a user, or locks the stored one if another request was faster.
 * @returns undefined if it was stored; otherwise the PIN that was stored before
 */
export async function insertPin(tx: Db, user_id: string, pin: FreshPin, now: Date): Promise<PinRow | undefined> {
  // The update changes no value. It locks and returns the existing row.
  const row = await tx.first<PinRow>(
    `INSERT INTO pins (user_id, salt, hash, pepper, set_at) VALUES ($1, $2, $3, $4, $5)
     ON CONFLICT (user_id) DO UPDATE SET set_at = pins.set_at
     RETURNING salt, hash, failed_attempts, lock_count, locked_until`,
    [user_id, pin.salt, pin.hash, pin.pepper, now],
  );
  // Salts are random, so a row with this salt is the one that was inserted.
  return row?.salt.equals(pin.salt) === true ? undefined : row;
}

/**
 * Deletes ciphertexts that cannot be accepted again: those of keys other than `kids` that were used before `before`,
 * and those that no key decrypted that were used before `unopened_before`.
 * @returns the number of deleted rows
 */
export function pruneCiphertexts(db: Db, kids: string[], before: Date, unopened_before: Date): Promise<number> {
  return db.run(
    `DELETE FROM used_ciphertexts
     WHERE (kid <> ALL($1::text[]) AND used_at < $2) OR (kid IS NULL AND used_at < $3)`,
    [kids, before, unopened_before],
  );
}

/** The PIN keys of one node. */
export interface NodeKeys {
  name: string;
  kids: string[];
}

const EXCHANGE = `
  WITH own AS (
    INSERT INTO pin_key_nodes (id, name, kids, seen_at) VALUES ($1, $2, $3, now())
    ON CONFLICT (id) DO UPDATE SET kids = EXCLUDED.kids, seen_at = EXCLUDED.seen_at
  )
  SELECT name, kids FROM pin_key_nodes WHERE id <> $1 AND seen_at > now() - $4 * interval '1 millisecond'`;

/**
 * Stores which keys a node has, and reads those of the other nodes.
 * @param live_ms nodes not seen for this long are ignored; the database's clock decides, because all nodes share it
 */
export function exchangeKeys(db: Db, id: string, { name, kids }: NodeKeys, live_ms: number): Promise<NodeKeys[]> {
  return db.rows(EXCHANGE, [id, name, kids, live_ms]);
}

/** Deletes the rows of nodes that were not seen for a day. */
export async function deleteGoneNodes(db: Db): Promise<void> {
  await db.run(`DELETE FROM pin_key_nodes WHERE seen_at < now() - interval '1 day'`);
}

/**
 * Stores the pepper's check value if the database has none, or the one that it replaces, and returns the stored one.
 * @param replaced the check value of another pepper that is accepted too
 */
export async function storePepperCheck(db: Db, check_value: Buffer, replaced: Buffer | null): Promise<Buffer> {
  await db.run(
    `INSERT INTO pin_pepper (check_value) VALUES ($1)
     ON CONFLICT (only_row) DO UPDATE SET check_value = $1 WHERE pin_pepper.check_value = $2`,
    [check_value, replaced],
  );
  const row = await db.first<{ check_value: Buffer }>('SELECT check_value FROM pin_pepper');
  if (row === undefined) throw new Error('pin_pepper is empty');
  return row.check_value;
}

/** Counts the PINs that may be hashed with another pepper. */
export async function countOtherPeppers(db: Db, check_value: Buffer): Promise<number> {
  const row = await db.first<{ pins: number }>(
    'SELECT count(*)::int AS pins FROM pins WHERE pepper IS DISTINCT FROM $1',
    [check_value],
  );
  return row?.pins ?? 0;
}
