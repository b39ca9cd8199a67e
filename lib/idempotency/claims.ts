/** The claims of idempotency keys in a service's own database (docs/architecture.md). */
import { columnsOf } from '../db/columns.ts';
import type { Sql, Statement } from '../db/sql.ts';
import { groupCommit } from '../db/group-commit.ts';
import { ABANDONED_AFTER_MS } from '../node/takeover.ts';

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

/** A claim that this process holds until another takes it over, which has a later `claimed_at`. */
export interface HeldClaim extends Claim {
  claimed_at: Date;
}

export type ClaimResult =
  /** `resumed`: an earlier request held the operation and ended, or died, without an answer. */
  | { kind: 'held'; operation_id: string; claimed_at: Date; resumed: boolean }
  | { kind: 'answered'; answer: KeptAnswer }
  | { kind: 'in_flight' }
  | { kind: 'reused' };

/** The API promises to keep answers for a day. */
export const KEY_LIFE_MS = 24 * 60 * 60_000;

/** The limit of keys that one statement deletes, as each deleted row is locked until the statement ends. */
const PURGE_MAX_ROWS = 1_000;

interface StoredClaim {
  fingerprint: string;
  operation_id: string;
  is_held: boolean;
  is_expired: boolean;
  answer: KeptAnswer | null;
}

/** How long a claim counts as held by a live request, by the database's clock, unless it is renewed. Null: always. */
type HoldMs = typeof ABANDONED_AFTER_MS | null;

/**
 * Claims a key for an operation, in one statement if the key is free.
 * @param claim contains the operation id to use if the key is free
 * @param insert batchClaims() of the same database
 */
export async function claimKey(
  db: Sql,
  claim: Claim,
  now: Date,
  insert: InsertClaim,
  hold_ms: HoldMs = ABANDONED_AFTER_MS,
): Promise<ClaimResult> {
  for (;;) {
    if (await insert({ ...claim, claimed_at: now, hold_ms })) {
      return { kind: 'held', operation_id: claim.operation_id, claimed_at: now, resumed: false };
    }
    const stored = await readClaim(db, claim, now);
    // The key was freed between the two statements.
    if (stored === undefined) continue;
    const result = resolveClaim(stored, claim);
    if (result !== 'take_over') return result;
    const taken = await takeOver(db, claim, stored, now, hold_ms);
    if (taken !== undefined) return taken;
  }
}

/** Decides what a stored claim means for a request with the same key. */
function resolveClaim(stored: StoredClaim, { fingerprint }: Claim): ClaimResult | 'take_over' {
  if (stored.is_expired) return 'take_over';
  // Also while no request holds the key: only a repeat may continue an operation whose outcome is unknown.
  if (stored.fingerprint !== fingerprint) return { kind: 'reused' };
  if (stored.answer !== null) return { kind: 'answered', answer: stored.answer };
  return stored.is_held ? { kind: 'in_flight' } : 'take_over';
}

/** A claim to be stored if its key is free. */
type NewClaim = HeldClaim & { hold_ms: HoldMs };

/** Stores a claim; returns false if its key is not free. */
export type InsertClaim = (claim: NewClaim) => Promise<boolean>;

/**
 * The database's clock, which is the same for all processes. Not now(): a statement may have waited for a lock.
 * @param hold_ms a parameter or column; null holds the claim for its life
 */
const heldUntil = (hold_ms: string): string =>
  `coalesce(clock_timestamp() + ${hold_ms} * interval '1 millisecond', 'infinity')`;

const INSERT_CLAIMS = {
  name: 'idempotency.claim',
  // Ordered, so that two statements with the same keys cannot wait for each other.
  text: `
    INSERT INTO idempotency_keys (user_id, key, fingerprint, operation_id, claimed_at, held_until)
    SELECT user_id, key, fingerprint, operation_id, claimed_at, ${heldUntil('hold_ms')}
    FROM unnest($1::text[], $2::text[], $3::text[], $4::uuid[], $5::timestamptz[], $6::integer[])
      AS claim (user_id, key, fingerprint, operation_id, claimed_at, hold_ms)
    ORDER BY user_id, key
    ON CONFLICT DO NOTHING RETURNING operation_id`,
};

/**
 * Returns a function that stores claims. Claims that arrive together share a statement.
 * @param db runs a claim that must wait for another claim of the same key
 */
export function batchClaims(batches: Sql, db: Sql): InsertClaim {
  return groupCommit('idempotency_keys', (claims: NewClaim[]) => insertClaims(batches, claims), {
    keyOf: ({ user_id, key }) => JSON.stringify([user_id, key]),
    runOne: async (claim) => (await insertClaims(db, [claim]))[0] === true,
  });
}

/** @returns for each claim whether it was stored; false if its key is taken */
async function insertClaims(db: Sql, claims: readonly NewClaim[]): Promise<boolean[]> {
  const columns = columnsOf(claims, 'user_id', 'key', 'fingerprint', 'operation_id', 'claimed_at', 'hold_ms');
  const rows = await db.rows<{ operation_id: string }>(INSERT_CLAIMS, columns);
  const stored = new Set(rows.map((row) => row.operation_id));
  return claims.map(({ operation_id }) => stored.has(operation_id));
}

function readClaim(db: Sql, { user_id, key }: Claim, now: Date): Promise<StoredClaim | undefined> {
  return db.first<StoredClaim>(
    `SELECT fingerprint, operation_id, answer, claimed_at < $3 AS is_expired,
       coalesce(held_until > clock_timestamp(), false) AS is_held
     FROM idempotency_keys WHERE user_id = $1 AND key = $2`,
    [user_id, key, new Date(now.getTime() - KEY_LIFE_MS)],
  );
}

/**
 * Takes over an abandoned claim with its operation, or an expired one. Only one of several callers succeeds. The new
 * `claimed_at` is later than the old one even if this process's clock is not, so that it tells the holders apart.
 */
async function takeOver(
  db: Sql,
  claim: Claim,
  stored: StoredClaim,
  now: Date,
  hold_ms: HoldMs,
): Promise<ClaimResult | undefined> {
  const resumed = !stored.is_expired;
  const operation_id = resumed ? stored.operation_id : claim.operation_id;
  const oldest = new Date(now.getTime() - KEY_LIFE_MS);
  const taken = await db.first<{ claimed_at: Date }>(TAKE_OVER, [
    claim.user_id,
    claim.key,
    claim.fingerprint,
    operation_id,
    now,
    hold_ms,
    stored.operation_id,
    oldest,
  ]);
  return taken && { kind: 'held', operation_id, claimed_at: taken.claimed_at, resumed };
}

const TAKE_OVER = `
  UPDATE idempotency_keys SET fingerprint = $3, operation_id = $4, answer = NULL, held_until = ${heldUntil('$6::integer')},
    claimed_at = greatest($5, date_trunc('milliseconds', claimed_at) + interval '1 millisecond')
  WHERE user_id = $1 AND key = $2 AND operation_id = $7
    AND (claimed_at < $8 OR answer IS NULL AND (held_until IS NULL OR held_until <= clock_timestamp()))
  RETURNING claimed_at`;

/** The claim is still the holder's, and has no answer. */
const IS_HELD = 'user_id = $1 AND key = $2 AND operation_id = $3 AND claimed_at = $4 AND answer IS NULL';

const holderOf = ({ user_id, key, operation_id, claimed_at }: HeldClaim) => [user_id, key, operation_id, claimed_at];

/**
 * Holds a claim for longer.
 * @returns false if another request has taken it over
 */
export async function renewClaim(db: Sql, claim: HeldClaim): Promise<boolean> {
  return (await db.run(RENEW, [...holderOf(claim), ABANDONED_AFTER_MS])) > 0;
}

const RENEW = {
  name: 'idempotency.renew',
  text: `UPDATE idempotency_keys SET held_until = ${heldUntil('$5::integer')}
         WHERE ${IS_HELD} AND held_until IS NOT NULL`,
};

/**
 * Holds a claim until the transaction ends: no other request can take it over before.
 * @returns false if another request has taken it over
 */
export async function shareClaim(tx: Pick<Sql, 'run'>, claim: HeldClaim): Promise<boolean> {
  return (await tx.run(SHARE, holderOf(claim))) > 0;
}

const SHARE = {
  name: 'idempotency.share',
  text: `SELECT FROM idempotency_keys WHERE ${IS_HELD} FOR SHARE`,
};

/**
 * Returns the statement that keeps an answer, for the transaction of the effect. It changes nothing if another request has
 * taken the claim over.
 */
export function keepAnswer(claim: HeldClaim, answer: KeptAnswer): [Statement, unknown[]] {
  return [KEEP_ANSWER, [...holderOf(claim), JSON.stringify(answer)]];
}

const KEEP_ANSWER = {
  name: 'idempotency.keep_answer',
  text: `UPDATE idempotency_keys SET answer = $5, held_until = NULL WHERE ${IS_HELD}`,
};

/** Frees the key of a refused request, which had no effect. */
export async function freeKey(db: Sql, claim: HeldClaim): Promise<void> {
  await db.run(`DELETE FROM idempotency_keys WHERE ${IS_HELD}`, holderOf(claim));
}

/** Releases the key of a request whose outcome is unknown: a repeat resumes the same operation. */
export async function releaseKey(db: Sql, claim: HeldClaim): Promise<void> {
  await db.run(`UPDATE idempotency_keys SET held_until = NULL WHERE ${IS_HELD}`, holderOf(claim));
}

/**
 * Binds a key to the request for which another service has claimed it, for the life of a key.
 * @returns false if the user has used the key for another request
 */
export async function bindKey(db: Sql, claim: Claim, now: Date, insert: InsertClaim): Promise<boolean> {
  const { kind } = await claimKey(db, claim, now, insert, null);
  // `in_flight` means that the same request was bound before.
  return kind === 'held' || kind === 'in_flight';
}

/** Undoes bindKey() after the request was refused. */
export async function unbindKey(db: Sql, { user_id, key, fingerprint }: Omit<Claim, 'operation_id'>): Promise<void> {
  await db.run('DELETE FROM idempotency_keys WHERE user_id = $1 AND key = $2 AND fingerprint = $3 AND answer IS NULL', [
    user_id,
    key,
    fingerprint,
  ]);
}

/** Deletes keys that are older than KEY_LIFE_MS. */
export async function purgeKeys(db: Sql, now: Date): Promise<void> {
  await db.run(
    `DELETE FROM idempotency_keys WHERE (user_id, key) IN (
       SELECT user_id, key FROM idempotency_keys WHERE claimed_at < $1 ORDER BY claimed_at LIMIT $2
       FOR UPDATE SKIP LOCKED)`,
    [new Date(now.getTime() - KEY_LIFE_MS), PURGE_MAX_ROWS],
  );
}
