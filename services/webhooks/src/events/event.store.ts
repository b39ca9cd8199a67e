/** The SQL of events, and of the deliveries that are made for them. */
import type { Sql, SqlTransaction } from '@association-service/contracts/subscriber';

/** An event as it is stored and sent. */
export interface StoredEvent {
  id: string;
  /** Null for wallets, which belong to no association. */
  association_id: string | null;
  type: string;
  occurred_at: Date;
  body: string;
}

const WANTS_TYPE = `deleted_at IS NULL AND status = 'enabled' AND (types @> ARRAY[$2] OR types @> ARRAY['*'])`;

const FIND_MATCHING = {
  name: 'webhooks.find_matching',
  // Two parts, as with OR a plan that was made while there were few endpoints reads all of them.
  text: `
    SELECT id FROM webhooks WHERE association_id = $1 AND ${WANTS_TYPE}
    UNION ALL
    SELECT id FROM webhooks WHERE association_id IS NULL AND ${WANTS_TYPE}`,
};

/** Finds the enabled endpoints that get the events of a type in an association. */
export async function findMatching(
  db: Pick<Sql, 'rows'>,
  event: Pick<StoredEvent, 'association_id' | 'type'>,
): Promise<string[]> {
  const rows = await db.rows<{ id: string }>(FIND_MATCHING, [event.association_id, event.type]);
  return rows.map(({ id }) => id);
}

const ADD_EVENT = {
  name: 'webhooks.add_event',
  text: `
    INSERT INTO events (id, association_id, type, occurred_at, body, received_at) VALUES ($1, $2, $3, $4, $5, $6)
    ON CONFLICT DO NOTHING`,
};

const ADD_DELIVERIES = {
  name: 'webhooks.add_deliveries',
  text: `
    INSERT INTO deliveries (id, webhook_id, event_id, status, next_attempt_at, created_at)
    SELECT id, webhook_id, $3, 'pending', $4, $4 FROM unnest($1::uuid[], $2::uuid[]) AS new (id, webhook_id)
    ON CONFLICT DO NOTHING`,
};

/** Adds an event, and one delivery of it for each endpoint. What there is already stays as it is. */
export function addEvent(
  tx: Pick<SqlTransaction, 'send'>,
  { id, association_id, type, occurred_at, body }: StoredEvent,
  deliveries: { ids: string[]; webhook_ids: string[] },
  now: Date,
): void {
  tx.send(ADD_EVENT, [id, association_id, type, occurred_at, body, now]);
  if (deliveries.ids.length > 0) tx.send(ADD_DELIVERIES, [deliveries.ids, deliveries.webhook_ids, id, now]);
}
