/** The SQL with which processes share the deliveries that are due. */
import type { Sql } from '@association-service/contracts/subscriber';
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

/** How many deliveries an endpoint may get: as many as `healthy`, or as `failing` if its last attempt has failed. */
export interface Ask {
  webhook_id: string;
  healthy: number;
  failing: number;
}

/**
 * How long a claim is held. Twice the longest request, as its outcome may wait for the database. After that, as when the process was
 * killed, another process sends the delivery again.
 */
export const LEASE_MS = 30_000;

const UNCLAIMED = '(claimed_until IS NULL OR claimed_until <= clock_timestamp())';

const CLAIM = {
  name: 'webhooks.claim_due',
  text: `
    UPDATE deliveries d SET claim_id = $5, claimed_until = clock_timestamp() + $6 * interval '1 millisecond'
    FROM (
      SELECT due.id AS delivery_id, w.*
      FROM unnest($1::uuid[], $2::integer[], $3::integer[]) AS ask (webhook_id, healthy, failing)
      JOIN webhooks w ON w.id = ask.webhook_id AND w.deleted_at IS NULL
      CROSS JOIN LATERAL (
        SELECT id FROM deliveries
        WHERE webhook_id = w.id AND status IN (${WAITING}) AND next_attempt_at <= $4 AND ${UNCLAIMED}
        ORDER BY next_attempt_at
        LIMIT CASE WHEN w.failing_since IS NULL THEN ask.healthy ELSE ask.failing END
        FOR UPDATE SKIP LOCKED
      ) due
    ) w, events e
    WHERE d.id = w.delivery_id AND e.id = d.event_id
    RETURNING d.id, d.webhook_id, d.event_id, d.tries, d.replay_id IS NOT NULL AS is_replay, e.body, e.occurred_at, w.url,
      w.status IN (${RECEIVING}) AS is_enabled, w.failing_since IS NOT NULL AS is_failing, w.repairs, w.sealed_secret, w.old_secrets`,
};

/**
 * Claims what is due for these endpoints, the earliest first. No other process gets it before LEASE_MS have passed.
 * @param claim_id identifies the claim when the outcome is recorded
 */
export function claimDue(db: Pick<Sql, 'rows'>, asks: readonly Ask[], now: Date, claim_id: string): Promise<Claim[]> {
  return db.rows<Claim>(CLAIM, [
    asks.map(({ webhook_id }) => webhook_id),
    asks.map(({ healthy }) => healthy),
    asks.map(({ failing }) => failing),
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
    SELECT webhook_id FROM waiting WHERE next_attempt_at <= $2 LIMIT $3`,
};

/**
 * Finds endpoints with something due, in the order of their ids.
 * @param after_id the last one that was found before
 */
export async function findDue(db: Pick<Sql, 'rows'>, after_id: string, now: Date, limit: number): Promise<string[]> {
  const rows = await db.rows<{ webhook_id: string }>(FIND_DUE, [after_id, now, limit]);
  return rows.map(({ webhook_id }) => webhook_id);
}

/** Gives claimed deliveries back without an attempt, so that another process can send them at once. */
export async function releaseClaim(db: Pick<Sql, 'run'>, claim_id: string, ids: readonly string[]): Promise<void> {
  await db.run(
    'UPDATE deliveries SET claim_id = NULL, claimed_until = NULL WHERE id = ANY($1::uuid[]) AND claim_id = $2',
    [ids, claim_id],
  );
}
