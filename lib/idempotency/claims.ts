/** The claims of idempotency keys in a service's own database (contract, section 1, "idempotency"). */
import type pg from 'pg';
import { gather } from '../db/group-commit.ts';
import { rowsOf } from '../db/rows-of.ts';
import type { Statements } from '../db/statements.ts';

/** An answer as it was first given. */
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

/** Contract, section 1: answers are kept for a day. */
export const KEY_LIFE_MS = 24 * 60 * 60_000;

/** Longer than the gateway waits for any action (10 s): who has held a claim for longer has died. */
export const HOLD_MS = 15_000;

/** Tests and operators may have many keys; one statement deletes so many at most. */
const PURGE_MAX_ROWS = 1_000;

interface StoredClaim {
  fingerprint: string;
  operation_id: string;
  is_held: boolean;
  is_expired: boolean;
  answer: KeptAnswer | null;
}

/**
 * Claims a key for an operation, in one statement where it is free.
 * @param claim with the operation id to use if the key is free
 * @param hold_ms for how long the claim is taken for held by somebody alive
 * @param insert gatherClaims() of the same database
 */
export async function claimKey(
  db: Statements,
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
    // It was freed between the two statements.
    if (stored === undefined) continue;
    const result = judge(stored, claim);
    if (result !== 'take_over') return result;
    const taken = await takeOver(db, claim, stored, now, held_until);
    if (taken !== undefined) return taken;
  }
}

function judge(stored: StoredClaim, { fingerprint }: Claim): ClaimResult | 'take_over' {
  if (stored.is_expired) return 'take_over';
  if (stored.fingerprint !== fingerprint && (stored.is_held || stored.answer !== null)) return { kind: 'reused' };
  if (stored.answer !== null) return { kind: 'answered', answer: stored.answer };
  return stored.is_held ? { kind: 'in_flight' } : 'take_over';
}

/** A claim as it is to be stored, if its key is free. */
type NewClaim = Claim & { now: Date; held_until: Date };

/** Stores a claim; false if its key is not free. */
export type InsertClaim = (claim: NewClaim) => Promise<boolean>;

/** Whatever order they come in, two statements take the same keys in the same order. */
const INSERT_CLAIMS = `
  INSERT INTO idempotency_keys (user_id, key, fingerprint, operation_id, claimed_at, held_until)
  SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::uuid[], $5::timestamptz[], $6::timestamptz[])
    AS claim (user_id, key, fingerprint, operation_id, claimed_at, held_until)
  ORDER BY user_id, key
  ON CONFLICT DO NOTHING RETURNING operation_id`;

/**
 * Claims that come at the same time are stored together.
 * @param pool for one that has to wait for another of its key
 */
export function gatherClaims(batches: pg.Pool, pool: pg.Pool): InsertClaim {
  return gather((claims: NewClaim[]) => insertClaims(batches, claims), {
    keyOf: ({ user_id, key }) => JSON.stringify([user_id, key]),
    alone: async (claim) => (await insertClaims(pool, [claim]))[0] === true,
  });
}

/** @returns for each whether it was stored: false where its key is taken */
async function insertClaims(pool: pg.Pool, claims: readonly NewClaim[]): Promise<boolean[]> {
  const statement = { name: 'idempotency.claim', text: INSERT_CLAIMS, values: columnsOf(claims) };
  const { rows } = await pool.query<{ operation_id: string }>(statement);
  const stored = new Set(rows.map((row) => row.operation_id));
  return claims.map(({ operation_id }) => stored.has(operation_id));
}

function columnsOf(claims: readonly NewClaim[]): unknown[][] {
  return [
    claims.map(({ user_id }) => user_id),
    claims.map(({ key }) => key),
    claims.map(({ fingerprint }) => fingerprint),
    claims.map(({ operation_id }) => operation_id),
    claims.map(({ now }) => now),
    claims.map(({ held_until }) => held_until),
  ];
}

async function readClaim(db: Statements, { user_id, key }: Claim, now: Date): Promise<StoredClaim | undefined> {
  const rows = await rowsOf<StoredClaim>(
    db,
    `SELECT fingerprint, operation_id, answer, coalesce(held_until > $3, false) AS is_held, claimed_at < $4 AS is_expired
     FROM idempotency_keys WHERE user_id = $1 AND key = $2`,
    [user_id, key, now, new Date(now.getTime() - KEY_LIFE_MS)],
  );
  return rows[0];
}

/** Of those who find a claim abandoned, one takes it over: with its operation if it is the same request. */
async function takeOver(
  db: Statements,
  claim: Claim,
  stored: StoredClaim,
  now: Date,
  held_until: Date,
): Promise<ClaimResult | undefined> {
  const resumed = stored.fingerprint === claim.fingerprint && !stored.is_expired;
  const operation_id = resumed ? stored.operation_id : claim.operation_id;
  const rows = await rowsOf(
    db,
    `UPDATE idempotency_keys SET fingerprint = $3, operation_id = $4, claimed_at = $5, held_until = $6, answer = NULL
     WHERE user_id = $1 AND key = $2 AND operation_id = $7
       AND (claimed_at < $8 OR answer IS NULL AND (held_until IS NULL OR held_until <= $5))
     RETURNING operation_id`,
    [
      claim.user_id,
      claim.key,
      claim.fingerprint,
      operation_id,
      now,
      held_until,
      stored.operation_id,
      new Date(now.getTime() - KEY_LIFE_MS),
    ],
  );
  return rows.length > 0 ? { kind: 'held', operation_id, resumed } : undefined;
}

/** Keeps the answer, in the caller's transaction: that of the effect. */
export async function keepAnswer(db: Statements, { user_id, key, operation_id }: Claim, answer: KeptAnswer) {
  await db.query(
    `UPDATE idempotency_keys SET answer = $4, held_until = NULL
     WHERE user_id = $1 AND key = $2 AND operation_id = $3 AND answer IS NULL`,
    [user_id, key, operation_id, JSON.stringify(answer)],
  );
}

/** Frees the key of a request that was refused: nothing happened under it. */
export async function freeKey(db: Statements, { user_id, key, operation_id }: Claim): Promise<void> {
  await db.query(
    'DELETE FROM idempotency_keys WHERE user_id = $1 AND key = $2 AND operation_id = $3 AND answer IS NULL',
    [user_id, key, operation_id],
  );
}

/**
 * Binds a key to the one request that another service has claimed it for, for as long as keys live.
 * @returns false if it stands for another request of the user's
 */
export async function bindKey(db: Statements, claim: Claim, now: Date, insert: InsertClaim): Promise<boolean> {
  const { kind } = await claimKey(db, claim, now, KEY_LIFE_MS, insert);
  // In flight: the same request was bound before.
  return kind === 'held' || kind === 'in_flight';
}

/** Ends what bindKey() began: the request was refused. */
export async function unbindKey(db: Statements, { user_id, key, fingerprint }: Omit<Claim, 'operation_id'>) {
  await db.query(
    'DELETE FROM idempotency_keys WHERE user_id = $1 AND key = $2 AND fingerprint = $3 AND answer IS NULL',
    [user_id, key, fingerprint],
  );
}

/** Lets go of the key of a request whose outcome is not known: repeating it goes on with the same operation. */
export async function letGoOfKey(db: Statements, { user_id, key, operation_id }: Claim): Promise<void> {
  await db.query(
    'UPDATE idempotency_keys SET held_until = NULL WHERE user_id = $1 AND key = $2 AND operation_id = $3',
    [user_id, key, operation_id],
  );
}

/** Deletes keys that have had their day. */
export async function purgeKeys(db: Statements, now: Date): Promise<void> {
  await db.query(
    `DELETE FROM idempotency_keys WHERE (user_id, key) IN (
       SELECT user_id, key FROM idempotency_keys WHERE claimed_at < $1 ORDER BY claimed_at LIMIT $2
       FOR UPDATE SKIP LOCKED)`,
    [new Date(now.getTime() - KEY_LIFE_MS), PURGE_MAX_ROWS],
  );
}
