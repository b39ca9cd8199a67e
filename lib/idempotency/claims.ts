/** The claims of idempotency keys in a service's own database (docs/architecture.md). */
import { columnsOf } from '../db/columns.ts';
import type { Db, Pool, Statement } from '../db/db.ts';
import { groupCommit } from '../db/group-commit.ts';

/** The first answer to a request. Repeats of the request get the same one. */
export interface KeptAnswer {
  status: number;
  headers: Record<string, string>;
  body: unknown;
}

export interface Claim {
  user_id: string;
  key: string;
  fingerprint: string;
  operation_id: string;
}

export type ClaimResult =
  /** `resumed`: an earlier request held the operation and ended, or died, without an answer. */
  | { kind: 'held'; operation_id: string; resumed: boolean }
  | { kind: 'answered'; answer: KeptAnswer }
  | { kind: 'in_flight' }
  | { kind: 'reused' };

/** The API promises to keep answers for a day. */
export const KEY_LIFE_MS = 24 * 60 * 60_000;

/** Longer than the gateway waits for any action (10 s): the process of a claim that is held for longer has died. */
export const HOLD_MS = 15_000;

/** The limit of keys that one statement deletes, as each deleted row is locked until the statement ends. */
const PURGE_MAX_ROWS = 1_000;

interface StoredClaim {
  fingerprint: string;
  operation_id: string;
  is_held: boolean;
  is_expired: boolean;
  answer: KeptAnswer | null;
}

/**
 * Claims a key for an operation, in one statement if the key is free.
 * @param claim contains the operation id to use if the key is free
 * @param hold_ms for how long the claim counts as held by a live request
 * @param insert batchClaims() of the same database
 */
export async function claimKey(
  db: Db,
  claim: Claim,
  now: Date,
  hold_ms: number,
  insert: InsertClaim,
): Promise<ClaimResult> {
  const held_until = new Date(now.getTime() + hold_ms);
  for (;;) {
    if (await insert({ ...claim, now, held_until })) {
      return { kind: 'held', operation_id: claim.operation_id, resumed: false };
    }
    const stored = await readClaim(db, claim, now);
    // The key was freed between the two statements.
    if (stored === undefined) continue;
    const result = resolveClaim(stored, claim);
    if (result !== 'take_over') return result;
    const taken = await takeOver(db, claim, stored, now, held_until);
    if (taken !== undefined) return taken;
  }
}

/** Decides what a stored claim means for a request with the same key. */
function resolveClaim(stored: StoredClaim, { fingerprint }: Claim): ClaimResult | 'take_over' {
  if (stored.is_expired) return 'take_over';
  if (stored.fingerprint !== fingerprint && (stored.is_held || stored.answer !== null)) return { kind: 'reused' };
  if (stored.answer !== null) return { kind: 'answered', answer: stored.answer };
  return stored.is_held ? { kind: 'in_flight' } : 'take_over';
}

/** A claim to be stored if its key is free. */
type NewClaim = Claim & { now: Date; held_until: Date };

/** Stores a claim; returns false if its key is not free. */
export type InsertClaim = (claim: NewClaim) => Promise<boolean>;

const INSERT_CLAIMS = {
  name: 'idempotency.claim',
  // Ordered, so that two statements with the same keys cannot wait for each other.
  text: `
    INSERT INTO idempotency_keys (user_id, key, fingerprint, operation_id, claimed_at, held_until)
    SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::uuid[], $5::timestamptz[], $6::timestamptz[])
      AS claim (user_id, key, fingerprint, operation_id, claimed_at, held_until)
    ORDER BY user_id, key
    ON CONFLICT DO NOTHING RETURNING operation_id`,
};

/**
 * Returns a function that stores claims. Claims that arrive together share a statement.
 * @param db runs a claim that must wait for another claim of the same key
 */
export function batchClaims(batches: Db, db: Db): InsertClaim {
  return groupCommit('idempotency_keys', (claims: NewClaim[]) => insertClaims(batches, claims), {
    keyOf: ({ user_id, key }) => JSON.stringify([user_id, key]),
    runOne: async (claim) => (await insertClaims(db, [claim]))[0] === true,
  });
}

/** @returns for each claim whether it was stored; false if its key is taken */
async function insertClaims(db: Db, claims: readonly NewClaim[]): Promise<boolean[]> {
  const columns = columnsOf(claims, 'user_id', 'key', 'fingerprint', 'operation_id', 'now', 'held_until');
  const rows = await db.rows<{ operation_id: string }>(INSERT_CLAIMS, columns);
  const stored = new Set(rows.map((row) => row.operation_id));
  return claims.map(({ operation_id }) => stored.has(operation_id));
}

function readClaim(db: Db, { user_id, key }: Claim, now: Date): Promise<StoredClaim | undefined> {
  return db.first<StoredClaim>(
    `SELECT fingerprint, operation_id, answer, coalesce(held_until > $3, false) AS is_held, claimed_at < $4 AS is_expired
     FROM idempotency_keys WHERE user_id = $1 AND key = $2`,
    [user_id, key, now, new Date(now.getTime() - KEY_LIFE_MS)],
  );
}

/** Takes over an abandoned claim, with its operation if the request is the same. Only one of several callers succeeds. */
async function takeOver(
  db: Db,
  claim: Claim,
  stored: StoredClaim,
  now: Date,
  held_until: Date,
): Promise<ClaimResult | undefined> {
  const resumed = stored.fingerprint === claim.fingerprint && !stored.is_expired;
  const operation_id = resumed ? stored.operation_id : claim.operation_id;
  const oldest = new Date(now.getTime() - KEY_LIFE_MS);
  const taken = await db.run(
    `UPDATE idempotency_keys SET fingerprint = $3, operation_id = $4, claimed_at = $5, held_until = $6, answer = NULL
     WHERE user_id = $1 AND key = $2 AND operation_id = $7
       AND (claimed_at < $8 OR answer IS NULL AND (held_until IS NULL OR held_until <= $5))`,
    [claim.user_id, claim.key, claim.fingerprint, operation_id, now, held_until, stored.operation_id, oldest],
  );
  return taken > 0 ? { kind: 'held', operation_id, resumed } : undefined;
}

/** Returns the statement that keeps an answer, for the transaction of the effect. */
export function keepAnswer(claim: Claim, answer: KeptAnswer): [Statement, unknown[]] {
  const { user_id, key, operation_id } = claim;
  return [KEEP_ANSWER, [user_id, key, operation_id, JSON.stringify(answer)]];
}

const KEEP_ANSWER = {
  name: 'idempotency.keep_answer',
  text: `UPDATE idempotency_keys SET answer = $4, held_until = NULL
         WHERE user_id = $1 AND key = $2 AND operation_id = $3 AND answer IS NULL`,
};

/** Frees the key of a refused request, which had no effect. */
export async function freeKey(db: Db, { user_id, key, operation_id }: Claim): Promise<void> {
  await db.run(
    'DELETE FROM idempotency_keys WHERE user_id = $1 AND key = $2 AND operation_id = $3 AND answer IS NULL',
    [user_id, key, operation_id],
  );
}

/**
 * Binds a key to the request for which another service has claimed it, for the life of a key.
 * @returns false if the user has used the key for another request
 */
export async function bindKey(db: Pool, claim: Claim, now: Date, insert: InsertClaim): Promise<boolean> {
  const { kind } = await claimKey(db, claim, now, KEY_LIFE_MS, insert);
  // `in_flight` means that the same request was bound before.
  return kind === 'held' || kind === 'in_flight';
}

/** Undoes bindKey() after the request was refused. */
export async function unbindKey(db: Db, { user_id, key, fingerprint }: Omit<Claim, 'operation_id'>): Promise<void> {
  await db.run('DELETE FROM idempotency_keys WHERE user_id = $1 AND key = $2 AND fingerprint = $3 AND answer IS NULL', [
    user_id,
    key,
    fingerprint,
  ]);
}

/** Releases the key of a request whose outcome is unknown: a repeat resumes the same operation. */
export async function releaseKey(db: Db, { user_id, key, operation_id }: Claim): Promise<void> {
  await db.run('UPDATE idempotency_keys SET held_until = NULL WHERE user_id = $1 AND key = $2 AND operation_id = $3', [
    user_id,
    key,
    operation_id,
  ]);
}

/** Deletes keys that are older than KEY_LIFE_MS. */
export async function purgeKeys(db: Db, now: Date): Promise<void> {
  await db.run(
    `DELETE FROM idempotency_keys WHERE (user_id, key) IN (
       SELECT user_id, key FROM idempotency_keys WHERE claimed_at < $1 ORDER BY claimed_at LIMIT $2
       FOR UPDATE SKIP LOCKED)`,
    [new Date(now.getTime() - KEY_LIFE_MS), PURGE_MAX_ROWS],
  );
}
