/** The SQL with which processes share the deliveries that are due. */
import type { Sql } from '@association-service/contracts/subscriber';
import { FIRST_ID } from '../positions.rules.ts';
import { RECEIVING, WAITING } from '../states.rules.ts';

/** An old secret that still signs. */
export interface OldSecret {
  sealed: string;
  signs_until: string;
}

/** A delivery that this process sends now, with all that is needed for it. */
export interface Claim {
  id: string;
  webhook_id: string;
  /** The user who created the endpoint. */
  owner_id: string;
  event_id: string;
  body: string;
  occurred_at: Date;
  is_replay: boolean;
  tries: number;
  url: string;
  is_enabled: boolean;
  is_failing: boolean;
  /** How often the endpoint was repaired before. */
  repairs: number;
  sealed_secret: string;
  old_secrets: OldSecret[];
}

/** An endpoint that may have something due. */
export type Candidate = Pick<Claim, 'webhook_id' | 'owner_id' | 'is_failing'>;

/** How many deliveries an endpoint may get. */
export interface Ask {
  webhook_id: string;
  count: number;
}

/**
 * How long a claim is held. Twice the longest request, as its outcome may wait for the database. After that, as when the process was
 * killed, another process sends the delivery again.
 */
export const LEASE_MS = 30_000;

const FIND_CANDIDATES = {
  name: 'webhooks.find_candidates',
  text: `
    SELECT id AS webhook_id, created_by_user_id AS owner_id, failing_since IS NOT NULL AS is_failing
    FROM webhooks WHERE id = ANY($1::uuid[]) AND deleted_at IS NULL`,
};

/** Reads what decides how many deliveries endpoints may get. */
export function findCandidates(db: Pick<Sql, 'rows'>, webhook_ids: readonly string[]): Promise<Candidate[]> {
  return db.rows(FIND_CANDIDATES, [webhook_ids]);
}

const UNCLAIMED = '(claimed_until IS NULL OR claimed_until <= clock_timestamp())';

const CLAIM = {
  name: 'webhooks.claim_due',
  // An endpoint that has begun to fail since the ask was made gets one.
  text: `
    UPDATE deliveries d SET claim_id = $4, claimed_until = clock_timestamp() + $5 * interval '1 millisecond'
    FROM (
      SELECT due.id AS delivery_id, w.*
      FROM unnest($1::uuid[], $2::integer[]) AS ask (webhook_id, count)
      JOIN webhooks w ON w.id = ask.webhook_id AND w.deleted_at IS NULL
      CROSS JOIN LATERAL (
        SELECT id FROM deliveries
        WHERE webhook_id = w.id AND status IN (${WAITING}) AND next_attempt_at <= $3 AND ${UNCLAIMED}
        ORDER BY next_attempt_at
        LIMIT CASE WHEN w.failing_since IS NULL THEN ask.count ELSE least(ask.count, 1) END
        FOR UPDATE SKIP LOCKED
      ) due
    ) w, events e
    WHERE d.id = w.delivery_id AND e.id = d.event_id
    RETURNING d.id, d.webhook_id, d.event_id, d.tries, d.replay_id IS NOT NULL AS is_replay, e.body, e.occurred_at,
      w.url, w.created_by_user_id AS owner_id, w.status IN (${RECEIVING}) AS is_enabled, w.failing_since IS NOT NULL AS is_failing,
      w.repairs, w.sealed_secret, w.old_secrets`,
};

/**
 * Claims what is due for these endpoints, the earliest first. No other process gets it before LEASE_MS have passed.
 * @param claim_id identifies the claim when the outcome is recorded
 */
export function claimDue(db: Pick<Sql, 'rows'>, asks: readonly Ask[], now: Date, claim_id: string): Promise<Claim[]> {
  return db.rows<Claim>(CLAIM, [
    asks.map(({ webhook_id }) => webhook_id),
    asks.map(({ count }) => count),
    now,
    claim_id,
    LEASE_MS,
  ]);
}

const FIND_DUE = {
  name: 'webhooks.find_due',
  // A walk from endpoint to endpoint through the index, one probe for each. DISTINCT would read every waiting delivery.
  text: `
    WITH RECURSIVE waiting AS (
      (SELECT webhook_id, next_attempt_at FROM deliveries
       WHERE status IN (${WAITING}) AND webhook_id > $1 ORDER BY webhook_id, next_attempt_at LIMIT 1)
      UNION ALL
      SELECT next.webhook_id, next.next_attempt_at FROM waiting w CROSS JOIN LATERAL (
        SELECT webhook_id, next_attempt_at FROM deliveries
        WHERE status IN (${WAITING}) AND webhook_id > w.webhook_id ORDER BY webhook_id, next_attempt_at LIMIT 1
      ) next
    )
    SELECT coalesce(array_agg(webhook_id) FILTER (WHERE next_attempt_at <= $2), '{}') AS due,
      (array_agg(webhook_id ORDER BY webhook_id DESC))[1] AS last_id, count(*)::integer AS count
    FROM (SELECT * FROM waiting LIMIT $3) walked`,
};

/** Endpoints with something due, among those that a search has looked at. */
export interface Found {
  webhook_ids: string[];
  /** Where the next search begins: after the last endpoint, or again with the first. */
  after_id: string;
}

/**
 * Searches, in the order of their ids, the endpoints for which something waits, for those with something due.
 * @param after_id where to begin
 * @param limit how many endpoints are looked at, also those with nothing due
 */
export async function findDue(db: Pick<Sql, 'first'>, after_id: string, now: Date, limit: number): Promise<Found> {
  const row = await db.first<{ due: string[]; last_id: string | null; count: number }>(FIND_DUE, [
    after_id,
    now,
    limit,
  ]);
  const isLast = row === undefined || row.count < limit;
  return { webhook_ids: row?.due ?? [], after_id: (isLast ? null : row.last_id) ?? FIRST_ID };
}

/** Gives claimed deliveries back without an attempt, so that another process can send them at once. */
export async function releaseClaim(db: Pick<Sql, 'run'>, claim_id: string, ids: readonly string[]): Promise<void> {
  await db.run(
    'UPDATE deliveries SET claim_id = NULL, claimed_until = NULL WHERE id = ANY($1::uuid[]) AND claim_id = $2',
    [ids, claim_id],
  );
}
