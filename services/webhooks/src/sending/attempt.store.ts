/** The SQL that records what came of attempts. */
import type { Sql, SqlTransaction } from '@association-service/contracts/subscriber';
import { ATTEMPTS_KEPT_MAX } from '../limits.rules.ts';
import { MOVES, RECEIVING, WAITING, type DeliveryStatus, type OwnFault } from '../states.rules.ts';
import type { SendError } from './outcome.rules.ts';

/** One attempt as it is stored and shown. */
export interface Attempt {
  at: string;
  status_code: number | null;
  error: SendError | null;
  duration_ms: number;
}

/** The outcome of a claimed delivery. */
export interface Recorded {
  id: string;
  claim_id: string;
  attempt: Attempt;
  status: DeliveryStatus;
  next_attempt_at: Date | null;
}

const RECORD = {
  name: 'webhooks.record_attempts',
  // An outcome that may not follow the stored status does not change it.
  text: `
    UPDATE deliveries d SET
      status = new.status,
      next_attempt_at = CASE WHEN new.status IN (${WAITING}) THEN new.next_attempt_at END,
      finished_at = CASE WHEN new.status NOT IN (${WAITING}) THEN $6::timestamptz END,
      tries = d.tries + 1,
      attempts = jsonb_path_query_array(d.attempts || new.attempt, '$[last - ${String(ATTEMPTS_KEPT_MAX - 1)} to last]'),
      claim_id = NULL,
      claimed_until = NULL
    FROM (
      SELECT old.id, r.attempt, r.next_attempt_at,
        CASE WHEN (old.status, r.status) IN (${MOVES}) THEN r.status ELSE old.status END AS status
      FROM unnest($1::uuid[], $2::uuid[], $3::text[], $4::timestamptz[], $5::jsonb[])
        AS r (id, claim_id, status, next_attempt_at, attempt)
      JOIN deliveries old ON old.id = r.id AND old.claim_id = r.claim_id
      ORDER BY old.id FOR UPDATE OF old
    ) new
    WHERE d.id = new.id`,
};

/** Records outcomes. One whose claim has ended is dropped, as another process has sent the delivery again. */
export async function recordAttempts(db: Pick<Sql, 'run'>, outcomes: readonly Recorded[], now: Date): Promise<void> {
  await db.run(RECORD, [
    outcomes.map(({ id }) => id),
    outcomes.map(({ claim_id }) => claim_id),
    outcomes.map(({ status }) => status),
    outcomes.map(({ next_attempt_at }) => next_attempt_at),
    outcomes.map(({ attempt }) => JSON.stringify(attempt)),
    now,
  ]);
}

/** An endpoint under its lock. */
export interface LockedWebhook {
  id: string;
  association_id: string | null;
  url: string;
  is_enabled: boolean;
  failing_since: Date | null;
  /** How often its URL was changed, or it was enabled again. */
  repairs: number;
  created_by_user_id: string;
}

const LOCK = {
  name: 'webhooks.lock_for_health',
  // Ordered, so that two processes cannot wait for each other.
  text: `
    SELECT id, association_id, url, status IN (${RECEIVING}) AS is_enabled, failing_since, repairs, created_by_user_id
    FROM webhooks WHERE id = ANY($1::uuid[]) AND deleted_at IS NULL ORDER BY id FOR NO KEY UPDATE`,
};

/** Locks endpoints before their deliveries, in the order in which all transactions do. */
export function lockWebhooks(tx: Pick<Sql, 'rows'>, ids: readonly string[]): Promise<LockedWebhook[]> {
  return tx.rows(LOCK, [ids]);
}

export function setFailingSince(tx: Pick<SqlTransaction, 'send'>, id: string, since: Date | null): void {
  tx.send('UPDATE webhooks SET failing_since = $2 WHERE id = $1', [id, since]);
}

/** Disables an endpoint. Its pending deliveries are given up by failPending(). */
export function setDisabled(tx: Pick<SqlTransaction, 'send'>, id: string, reason: OwnFault, now: Date): void {
  tx.send(`UPDATE webhooks SET status = 'disabled', disabled_reason = $2, disabled_at = $3 WHERE id = $1`, [
    id,
    reason,
    now,
  ]);
}

/** Few enough that the locks are short; upkeep gives up the rest within seconds. */
export const FAIL_MAX_ROWS = 1_000;

const GIVE_UP = `
  UPDATE deliveries d SET status = 'failed', next_attempt_at = NULL, finished_at = $1, attempts = d.attempts || $2::jsonb
  FROM due WHERE d.id = due.id`;

const givenUp = (now: Date): [Date, string] => {
  const attempt: Attempt = { at: now.toISOString(), status_code: null, error: 'endpoint_disabled', duration_ms: 0 };
  return [now, JSON.stringify(attempt)];
};

/**
 * Gives up pending deliveries of a disabled endpoint. It skips those whose outcome is being recorded: it must not wait for them, as
 * they may wait for the endpoint.
 */
export async function failPending(tx: Pick<Sql, 'run'>, webhook_id: string, now: Date): Promise<void> {
  await tx.run(
    `WITH due AS (
       SELECT id FROM deliveries WHERE webhook_id = $3 AND status IN (${WAITING}) LIMIT $4 FOR UPDATE SKIP LOCKED
     ) ${GIVE_UP}`,
    [...givenUp(now), webhook_id, FAIL_MAX_ROWS],
  );
}

/**
 * Gives up pending deliveries of all disabled endpoints.
 * @returns how many, at most FAIL_MAX_ROWS
 */
export function failPendingOfDisabled(db: Pick<Sql, 'run'>, now: Date): Promise<number> {
  return db.run(
    `WITH due AS (
       SELECT d.id FROM webhooks w JOIN deliveries d ON d.webhook_id = w.id AND d.status IN (${WAITING})
       WHERE w.status NOT IN (${RECEIVING}) AND w.deleted_at IS NULL LIMIT $3 FOR UPDATE OF d SKIP LOCKED
     ) ${GIVE_UP}`,
    [...givenUp(now), FAIL_MAX_ROWS],
  );
}
