/** The SQL with which users see deliveries, and ask for more of them. */
import type { Sql, SqlTransaction } from '@association-service/contracts/subscriber';
import { NEWEST_FIRST_START } from '../positions.rules.ts';
import type { Attempt } from '../sending/attempt.store.ts';
import type { DeliveryStatus } from '../states.rules.ts';

export interface DeliveryRow {
  id: string;
  webhook_id: string;
  event_id: string;
  type: string;
  replay_id: string | null;
  status: DeliveryStatus;
  attempts: Attempt[];
  next_attempt_at: Date | null;
  created_at: Date;
}

const SHOWN = `d.id, d.webhook_id, d.event_id, e.type, d.replay_id, d.status, d.attempts, d.next_attempt_at, d.created_at`;

/**
 * Lists the deliveries to an endpoint, newest first.
 * @param after `created_at` and id of a delivery
 */
export function listDeliveries(
  db: Pick<Sql, 'rows'>,
  { webhook_id, status }: { webhook_id: string; status: DeliveryStatus | undefined },
  after: readonly string[] | null,
  limit: number,
): Promise<DeliveryRow[]> {
  const values: unknown[] = [webhook_id, ...(after ?? NEWEST_FIRST_START), limit];
  // Two statements, as each has an index of its own.
  const filter = status === undefined ? '' : 'AND d.status = $5';
  return db.rows(
    `SELECT ${SHOWN} FROM deliveries d JOIN events e ON e.id = d.event_id
     WHERE d.webhook_id = $1 ${filter} AND (d.created_at, d.id) < ($2::timestamptz, $3::uuid)
     ORDER BY d.created_at DESC, d.id DESC LIMIT $4`,
    status === undefined ? values : [...values, status],
  );
}

export function findDelivery(
  db: Pick<Sql, 'first'>,
  { webhook_id, delivery_id }: { webhook_id: string; delivery_id: string },
): Promise<DeliveryRow | undefined> {
  return db.first(
    `SELECT ${SHOWN} FROM deliveries d JOIN events e ON e.id = d.event_id WHERE d.id = $1 AND d.webhook_id = $2`,
    [delivery_id, webhook_id],
  );
}

/** Makes a delivery due, as if it were new. The outcome of an attempt that is running is dropped, like that of a claim that has ended. */
export async function makeDue(
  tx: Pick<Sql, 'run'>,
  { webhook_id, delivery_id }: { webhook_id: string; delivery_id: string },
  now: Date,
): Promise<void> {
  await tx.run(
    `UPDATE deliveries SET status = 'pending', next_attempt_at = $3, finished_at = NULL, tries = 0, claim_id = NULL,
       claimed_until = NULL
     WHERE id = $1 AND webhook_id = $2`,
    [delivery_id, webhook_id, now],
  );
}

/** Adds an event and its only delivery. What there is already stays as it is. */
export function addPing(
  tx: Pick<SqlTransaction, 'send'>,
  ping: {
    event_id: string;
    delivery_id: string;
    webhook_id: string;
    association_id: string | null;
    type: string;
    body: string;
  },
  now: Date,
): void {
  tx.send(
    `INSERT INTO events (id, association_id, type, occurred_at, body, received_at) VALUES ($1, $2, $3, $4, $5, $4)
     ON CONFLICT DO NOTHING`,
    [ping.event_id, ping.association_id, ping.type, now, ping.body],
  );
  tx.send(
    `INSERT INTO deliveries (id, webhook_id, event_id, status, next_attempt_at, created_at)
     VALUES ($1, $2, $3, 'pending', $4, $4) ON CONFLICT DO NOTHING`,
    [ping.delivery_id, ping.webhook_id, ping.event_id, now],
  );
}
