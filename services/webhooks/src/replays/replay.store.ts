/** The SQL of replays: past events of a time range, sent to one endpoint again. */
import type { Sql } from '@association-service/contracts/subscriber';
import type { WebhookOf } from '../endpoints/webhook.store.ts';
import { FIRST_ID } from '../positions.rules.ts';
import { RECEIVING, WAITING } from '../states.rules.ts';

export interface Replay {
  id: string;
  webhook_id: string;
  from_at: Date;
  to_at: Date;
  created_at: Date;
}

/**
 * Adds a replay.
 * @returns false if one of the same endpoint is running
 */
export async function addReplay(
  tx: Pick<Sql, 'run'>,
  { id, webhook_id, from_at, to_at, created_at }: Replay,
): Promise<boolean> {
  const added = await tx.run(
    `INSERT INTO replays (id, webhook_id, from_at, to_at, created_at) VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING`,
    [id, webhook_id, from_at, to_at, created_at],
  );
  return added === 1;
}

export function findReplay(db: Pick<Sql, 'first'>, id: string): Promise<Replay | undefined> {
  return db.first('SELECT id, webhook_id, from_at, to_at, created_at FROM replays WHERE id = $1', [id]);
}

/**
 * Counts the replays to an endpoint since a time, with those to deleted endpoints of its owner: otherwise a new endpoint would permit
 * as many again.
 */
export async function countReplays(
  tx: Pick<Sql, 'first'>,
  { webhook_id, association_id }: WebhookOf,
  since: Date,
): Promise<number> {
  const row = await tx.first<{ count: number }>(
    `SELECT count(*)::integer AS count FROM replays WHERE created_at > $3 AND webhook_id IN (
       SELECT $1::uuid
       UNION ALL SELECT id FROM webhooks WHERE deleted_at IS NOT NULL AND association_id IS NOT DISTINCT FROM $2::uuid)`,
    [webhook_id, association_id, since],
  );
  return row?.count ?? 0;
}

/** A replay that is to be continued, under its lock. */
export interface LockedReplay extends Replay {
  after_at: Date | null;
  after_id: string | null;
  association_id: string | null;
  types: string[];
  /** False if the endpoint was disabled or deleted. */
  is_wanted: boolean;
  /** How many of its deliveries wait, counted up to the limit. */
  waiting: number;
}

/** Lists the ids of the replays that have not ended: at most one for each endpoint. */
export async function listRunning(db: Pick<Sql, 'rows'>): Promise<string[]> {
  const rows = await db.rows<{ id: string }>('SELECT id FROM replays WHERE done_at IS NULL ORDER BY id');
  return rows.map(({ id }) => id);
}

/** Locks a replay, unless it has ended or another process is continuing it. */
export function lockReplay(tx: Pick<Sql, 'first'>, id: string, waiting_max: number): Promise<LockedReplay | undefined> {
  return tx.first(
    `SELECT r.id, r.webhook_id, r.from_at, r.to_at, r.created_at, r.after_at, r.after_id, w.association_id, w.types,
       w.status IN (${RECEIVING}) AND w.deleted_at IS NULL AS is_wanted,
       (SELECT count(*)::integer FROM (
          SELECT FROM deliveries d WHERE d.webhook_id = r.webhook_id AND d.status IN (${WAITING}) LIMIT $2) first) AS waiting
     FROM replays r JOIN webhooks w ON w.id = r.webhook_id
     WHERE r.done_at IS NULL AND r.id = $1 FOR UPDATE OF r SKIP LOCKED`,
    [id, waiting_max],
  );
}

/** An event of the time range of a replay. */
export interface ScannedEvent {
  id: string;
  occurred_at: Date;
  /** Whether the endpoint has chosen its type. */
  is_wanted: boolean;
}

/**
 * Reads the next events of a replay, the oldest first, also those that are not wanted: among millions, the next one of a rare type
 * would not be found within the time of a statement.
 * @param not_of_type a type that no replay wants
 */
export function scanEvents(
  tx: Pick<Sql, 'rows'>,
  replay: LockedReplay,
  not_of_type: string,
  limit: number,
): Promise<ScannedEvent[]> {
  const { association_id, types, from_at, to_at, after_at, after_id } = replay;
  // Two statements, as each has an index of its own.
  const owner = association_id === null ? '$1::uuid IS NULL' : 'association_id = $1';
  return tx.rows(
    `SELECT id, occurred_at, ('*' = ANY($6::text[]) OR type = ANY($6)) AND type <> $8 AS is_wanted FROM events
     WHERE ${owner} AND occurred_at >= $2 AND occurred_at < $3
       AND (occurred_at, id) > ($4::timestamptz, $5::uuid)
     ORDER BY occurred_at, id LIMIT $7`,
    [association_id, from_at, to_at, after_at ?? '-infinity', after_id ?? FIRST_ID, types, limit, not_of_type],
  );
}

/** Makes a delivery of each event. */
export async function addReplayed(
  tx: Pick<Sql, 'run'>,
  { id, webhook_id }: Pick<Replay, 'id' | 'webhook_id'>,
  event_ids: readonly string[],
  delivery_ids: readonly string[],
  now: Date,
): Promise<void> {
  await tx.run(
    `INSERT INTO deliveries (id, webhook_id, event_id, replay_id, status, next_attempt_at, created_at)
     SELECT new.id, $3, new.event_id, $4, 'pending', $5, $5 FROM unnest($1::uuid[], $2::uuid[]) AS new (id, event_id)
     ON CONFLICT DO NOTHING`,
    [delivery_ids, event_ids, webhook_id, id, now],
  );
}

/** Notes the last event that a replay has read, in the transaction that makes the deliveries. */
export async function moveOn(
  tx: Pick<Sql, 'run'>,
  id: string,
  { occurred_at, id: event_id }: ScannedEvent,
): Promise<void> {
  await tx.run('UPDATE replays SET after_at = $2, after_id = $3 WHERE id = $1', [id, occurred_at, event_id]);
}

export async function endReplay(tx: Pick<Sql, 'run'>, id: string, now: Date): Promise<void> {
  await tx.run('UPDATE replays SET done_at = $2 WHERE id = $1', [id, now]);
}
