/** The SQL of the table `messages`, except that of sending: see sending.store.ts. */
import type { Sql, SqlTransaction } from '@association-service/contracts/subscriber';
import type { MessageType, Reason } from '../message-types.rules.ts';
import { isAlwaysSent, type Channel } from '../preferences/preferences.rules.ts';
import type { OccasionFacts } from '../texts/texts.view.ts';
import { DONE, type DoneState } from './message-states.rules.ts';

/** What is stored of an occasion for one person. */
export interface MessageFacts extends OccasionFacts {
  /** The code of `confirm_address` is derived from it. */
  code_id?: string;
}

/** A message to be stored: to be sent, or already skipped. */
export interface NewMessage {
  message_id: string;
  occasion_key: string;
  user_id: string;
  channel: Channel;
  member_id: string | null;
  association_id: string | null;
  type: MessageType;
  facts: MessageFacts;
  to_address: string | null;
  status: 'waiting' | 'skipped';
  reason: Reason | null;
  created_at: Date;
  /** When that of which its facts tell has happened, or is due. */
  occurred_at: Date;
  expires_at: Date;
  not_before: Date;
  subject: string | null;
}

/**
 * Stores messages of one occasion, each once. One that was skipped because its meeting was moved is sent after all if the meeting
 * is moved back.
 * @returns those that are new, or no longer skipped because of that
 */
export async function storeMessages(tx: Pick<Sql, 'rows'>, messages: readonly NewMessage[]): Promise<StoredMessage[]> {
  const rows = messages.map((each) => ({ ...each, is_urgent: isAlwaysSent(each.type) }));
  return rows.length === 0 ? [] : tx.rows<StoredMessage>(STORE, [JSON.stringify(rows)]);
}

export type StoredMessage = Pick<NewMessage, 'message_id' | 'type' | 'channel' | 'status' | 'reason'>;

const STORE = {
  name: 'messages.store',
  text: `
    INSERT INTO messages (message_id, occasion_key, user_id, channel, member_id, association_id, type, facts, to_address,
      status, reason, created_at, occurred_at, expires_at, not_before, checked_at, subject, is_urgent)
    SELECT message_id, occasion_key, user_id, channel, member_id, association_id, type, facts, to_address,
      status, reason, created_at, occurred_at, expires_at, not_before, created_at, subject, is_urgent
    FROM jsonb_to_recordset($1::jsonb) AS new (message_id uuid, occasion_key text, user_id text, channel text,
      member_id uuid, association_id uuid, type text, facts jsonb, to_address text, status text, reason text,
      created_at timestamptz, occurred_at timestamptz, expires_at timestamptz, not_before timestamptz, subject text,
      is_urgent boolean)
    ON CONFLICT (occasion_key, user_id, channel) DO UPDATE SET
      facts = excluded.facts, status = excluded.status, reason = excluded.reason, expires_at = excluded.expires_at,
      not_before = excluded.not_before, checked_at = excluded.checked_at, subject = excluded.subject
    WHERE messages.status = 'skipped' AND messages.reason = 'moved'
    RETURNING message_id, type, channel, status, reason`,
};

type Waiting = Pick<NewMessage, 'message_id' | 'facts' | 'occurred_at' | 'expires_at'>;

/** Reads the message of the same type that waits for a person, and locks it, so that it is not sent meanwhile. */
export function lockWaiting(
  tx: SqlTransaction,
  { user_id, channel, type, association_id }: NewMessage,
): Promise<Waiting | undefined> {
  return tx.first<Waiting>(LOCK_WAITING, [user_id, channel, type, association_id]);
}

const LOCK_WAITING = `
  SELECT message_id, facts, occurred_at, expires_at FROM messages
  WHERE user_id = $1 AND channel = $2 AND type = $3 AND association_id IS NOT DISTINCT FROM $4 AND status = 'waiting'
  ORDER BY created_at DESC LIMIT 1 FOR UPDATE`;

/** Stores what a message tells once another occasion has joined it. */
export async function storeJoined(
  tx: SqlTransaction,
  message_id: string,
  { facts, occurred_at, expires_at }: Omit<Waiting, 'message_id'>,
): Promise<void> {
  await tx.run('UPDATE messages SET facts = $2, occurred_at = $3, expires_at = $4 WHERE message_id = $1', [
    message_id,
    JSON.stringify(facts),
    occurred_at,
    expires_at,
  ]);
}

/** A message to one address, which is sent whatever the person has chosen. */
export interface Notice {
  message_id: string;
  occasion_key: string;
  user_id: string;
  channel: Channel;
  type: MessageType;
  facts: MessageFacts;
  to_address: string;
  created_at: Date;
  expires_at: Date;
}

export async function noticeTo(tx: SqlTransaction, notice: Notice): Promise<void> {
  const personal = { member_id: null, association_id: null };
  const toBeSent = { status: 'waiting', reason: null, subject: null } as const;
  const times = { occurred_at: notice.created_at, not_before: notice.created_at };
  await storeMessages(tx, [{ ...notice, ...personal, ...toBeSent, ...times }]);
}

/** Skips the messages to a person's address that were not sent. */
export async function skipWaiting(
  tx: SqlTransaction,
  user_id: string,
  channel: Channel,
  reason: Reason,
): Promise<void> {
  await tx.run(
    `UPDATE messages SET status = 'skipped', reason = $3, to_address = NULL
     WHERE user_id = $1 AND channel = $2 AND status = 'waiting' AND type <> 'address_changed'`,
    [user_id, channel, reason],
  );
}

/** Skips the messages of occasions that no longer hold. */
export async function skipOccasions(tx: Sql, occasion_keys: readonly string[], reason: Reason): Promise<void> {
  if (occasion_keys.length === 0) return;
  await tx.run(
    `UPDATE messages SET status = 'skipped', reason = $2, to_address = NULL
     WHERE occasion_key = ANY($1) AND status = 'waiting'`,
    [occasion_keys, reason],
  );
}

/** Lets a person's messages be looked at again, such as after a change of their quiet hours. */
export async function releaseWaiting(tx: SqlTransaction, user_id: string, now: Date): Promise<void> {
  await tx.run(
    `UPDATE messages SET not_before = $2
     WHERE user_id = $1 AND status = 'waiting' AND failures = 0 AND not_before > $2`,
    [user_id, now],
  );
}

/** A message that is done, for its person. */
export interface DoneMessage {
  message_id: string;
  type: MessageType;
  association_id: string | null;
  currency: string | null;
  channel: Channel;
  status: DoneState;
  reason: Reason | null;
  facts: MessageFacts;
  subject: string | null;
  body: string | null;
  created_at: Date;
  sent_at: Date | null;
  /** With all digits that are stored, for the next page. */
  position: string;
}

/** Later than every message, for the first page. */
const FIRST_POSITION = ['infinity', 'ffffffff-ffff-ffff-ffff-ffffffffffff'];

/**
 * Reads the messages of a person that are done, newest first.
 * @param after `position` and id of a message
 */
export function readDone(
  db: Sql,
  user_id: string,
  after: readonly string[] | null,
  limit: number,
): Promise<DoneMessage[]> {
  return db.rows<DoneMessage>(READ_DONE, [user_id, ...(after ?? FIRST_POSITION), limit]);
}

const READ_DONE = {
  name: 'messages.read_done',
  text: `
    SELECT message_id, type, messages.association_id, currency, channel, status, reason, facts, subject, body, created_at,
      sent_at, created_at::text AS position
    FROM messages LEFT JOIN associations ON associations.association_id = messages.association_id
    WHERE user_id = $1 AND status IN (${DONE})
      AND (created_at, message_id) < ($2::timestamptz, $3::uuid)
    ORDER BY created_at DESC, message_id DESC
    LIMIT $4`,
};

/** Deletes messages that are older than an instant, a part at a time. */
export function pruneMessages(db: Sql, before: Date, rows_max: number): Promise<number> {
  return db.run(
    `DELETE FROM messages WHERE message_id IN (
       SELECT message_id FROM messages WHERE created_at < $1 AND status IN (${DONE})
       ORDER BY created_at LIMIT $2)`,
    [before, rows_max],
  );
}
