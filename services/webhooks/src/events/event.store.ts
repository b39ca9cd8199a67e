/** The SQL of events, and of the deliveries that are made for them. */
import type { Sql, SqlTransaction } from '@association-service/contracts/subscriber';
import { RECEIVING } from '../states.rules.ts';

/** An event as it is stored and sent. */
export interface StoredEvent {
  id: string;
  /** Null for wallets, which belong to no association. */
  association_id: string | null;
  type: string;
  occurred_at: Date;
  body: string;
}

const WANTS_TYPE = `deleted_at IS NULL AND status IN (${RECEIVING}) AND (types @> ARRAY[$3] OR types @> ARRAY['*'])`;

const ADD = {
  name: 'webhooks.add_event',
  // The endpoints are found in two parts, as with OR a plan that was made while there were few endpoints reads all of them.
  // The ids are UUIDv7, each with the time of $7 and the end of a random one, as it is not known how many are needed.
  text: `
    WITH event AS (
      INSERT INTO events (id, association_id, type, occurred_at, body, received_at) VALUES ($1, $2, $3, $4, $5, $6)
      ON CONFLICT DO NOTHING
    )
    INSERT INTO deliveries (id, webhook_id, event_id, status, next_attempt_at, created_at)
    SELECT (left($7, 24) || right(gen_random_uuid()::text, 12))::uuid, id, $1, 'pending', $6, $6
    FROM (
      SELECT id FROM webhooks WHERE association_id = $2 AND ${WANTS_TYPE}
      UNION ALL
      SELECT id FROM webhooks WHERE association_id IS NULL AND ${WANTS_TYPE}
    ) matching
    ON CONFLICT DO NOTHING`,
};

/**
 * Adds an event, and one delivery of it for each enabled endpoint that gets its type. What there is already stays as it is.
 * @param delivery_id a new UUIDv7, from which those of the deliveries are made
 */
export function addEvent(
  tx: Pick<SqlTransaction, 'send'>,
  { id, association_id, type, occurred_at, body }: StoredEvent,
  delivery_id: string,
  now: Date,
): void {
  tx.send(ADD, [id, association_id, type, occurred_at, body, now, delivery_id]);
}

const FIND_RECEIVERS = {
  name: 'webhooks.find_receivers',
  text: 'SELECT DISTINCT webhook_id FROM deliveries WHERE event_id = ANY($1::uuid[])',
};

/** Finds the endpoints that get events. */
export async function findReceivers(db: Pick<Sql, 'rows'>, event_ids: readonly string[]): Promise<string[]> {
  const rows = await db.rows<{ webhook_id: string }>(FIND_RECEIVERS, [event_ids]);
  return rows.map(({ webhook_id }) => webhook_id);
}
