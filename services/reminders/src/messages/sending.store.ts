/** The SQL of sending the messages of the table `messages`: any number of processes share them. */
import type { Sql } from '@association-service/contracts/subscriber';
import type { MessageType, Reason } from '../message-types.rules.ts';
import type { Channel } from '../preferences/preferences.rules.ts';
import type { DoneState } from './message-states.rules.ts';
import type { MessageFacts } from './messages.store.ts';

/** A message that this process holds until its lease ends. */
export interface HeldMessage {
  message_id: string;
  occasion_key: string;
  user_id: string;
  channel: Channel;
  member_id: string | null;
  association_id: string | null;
  type: MessageType;
  facts: MessageFacts;
  to_address: string | null;
  expires_at: Date;
  checked_at: Date;
  failures: number;
  /** Distinguishes this attempt from later ones of other processes. */
  attempt: number;
}

/**
 * How long a message is held without a sign of life of its process, in real time. After that it is recovered: a notice of a changed PIN
 * must not wait for long when a process was killed.
 */
export const LEASE_MS = 30_000;

/** Takes messages that are due, urgent ones first. */
export function claimMessages(db: Sql, channel: Channel, now: Date, limit: number): Promise<HeldMessage[]> {
  return db.rows<HeldMessage>(CLAIM, [channel, now, limit, LEASE_MS]);
}

const CLAIM = {
  name: 'messages.claim',
  text: `
    UPDATE messages SET status = 'sending', attempt = attempt + 1, is_handed_over = false,
      held_until = clock_timestamp() + $4 * interval '1 millisecond'
    WHERE message_id IN (
      SELECT message_id FROM messages WHERE status = 'waiting' AND channel = $1 AND not_before <= $2
        AND (next_try_at IS NULL OR next_try_at <= $2)
      ORDER BY is_urgent DESC, not_before LIMIT $3 FOR UPDATE SKIP LOCKED)
    RETURNING message_id, occasion_key, user_id, channel, member_id, association_id, type, facts, to_address, expires_at,
      checked_at, failures, attempt`,
};

type Held = Pick<HeldMessage, 'message_id' | 'attempt'>;

/**
 * Notes that the other side may have the message from now on: after a crash it is not sent again.
 * @returns false if the lease has ended, so that it must not be handed over
 */
export async function handOver(
  db: Sql,
  { message_id, attempt }: Held,
  { subject, body }: { subject: string; body: string | null },
): Promise<boolean> {
  const changed = await db.run(
    `UPDATE messages SET is_handed_over = true, subject = $3, body = $4
     WHERE message_id = $1 AND attempt = $2 AND status = 'sending' AND held_until > clock_timestamp()`,
    [message_id, attempt, subject, body],
  );
  return changed === 1;
}

/** Ends a message. The outcome of an attempt that was given up already still counts if it comes late. */
export async function conclude(
  db: Sql,
  { message_id, attempt }: Held,
  status: DoneState,
  reason: Reason | null,
  { sent_at = null, subject = null }: { sent_at?: Date | null; subject?: string | null } = {},
): Promise<void> {
  await db.run(
    `UPDATE messages SET status = $3, reason = $4, sent_at = $5, held_until = NULL, to_address = NULL,
       subject = coalesce($6, subject), body = CASE WHEN $3 IN ('sent', 'unknown') THEN body END
     WHERE message_id = $1 AND attempt = $2 AND status IN ('sending', 'unknown')`,
    [message_id, attempt, status, reason, sent_at, subject],
  );
}

/** Lets a message wait, which was certainly not sent. */
export async function postpone(
  db: Sql,
  { message_id, attempt }: Held,
  not_before: Date,
  failures: number,
): Promise<void> {
  await db.run(
    `UPDATE messages SET status = 'waiting', not_before = $3, failures = $4, held_until = NULL, is_handed_over = false
     WHERE message_id = $1 AND attempt = $2 AND status = 'sending'`,
    [message_id, attempt, not_before, failures],
  );
}

/**
 * Lets a message wait, as it cannot be known now whether its occasion still holds, or it could not be handled. It stays due, so that it
 * is measured for how long it waits. One that the other side may have is left as it is.
 */
export async function askLater(db: Sql, { message_id, attempt }: Held, next_try_at: Date): Promise<void> {
  await db.run(
    `UPDATE messages SET status = 'waiting', next_try_at = $3, held_until = NULL
     WHERE message_id = $1 AND attempt = $2 AND status = 'sending' AND NOT is_handed_over`,
    [message_id, attempt, next_try_at],
  );
}

/** Holds messages for longer, those of them that are not done. */
export async function renewLeases(db: Sql, messages: readonly Held[]): Promise<void> {
  await db.run(
    `UPDATE messages SET held_until = clock_timestamp() + $3 * interval '1 millisecond'
     FROM unnest($1::uuid[], $2::integer[]) AS held (message_id, attempt)
     WHERE messages.message_id = held.message_id AND messages.attempt = held.attempt AND status = 'sending'`,
    [messages.map(({ message_id }) => message_id), messages.map(({ attempt }) => attempt), LEASE_MS],
  );
}

/** Gives back messages that were taken, and whose attempt has not begun. */
export async function giveBack(db: Sql, messages: readonly Held[]): Promise<void> {
  if (messages.length === 0) return;
  await db.run(
    `UPDATE messages SET status = 'waiting', held_until = NULL
     FROM unnest($1::uuid[], $2::integer[]) AS held (message_id, attempt)
     WHERE messages.message_id = held.message_id AND messages.attempt = held.attempt AND status = 'sending'`,
    [messages.map(({ message_id }) => message_id), messages.map(({ attempt }) => attempt)],
  );
}

/** Notes that the occasion of a message still holds, and what is owed now. */
export async function confirmHolds(
  db: Sql,
  { message_id, attempt }: Held,
  checked_at: Date,
  facts: MessageFacts,
): Promise<void> {
  await db.run(
    `UPDATE messages SET checked_at = $3, facts = $4 WHERE message_id = $1 AND attempt = $2 AND status = 'sending'`,
    [message_id, attempt, checked_at, JSON.stringify(facts)],
  );
}

export interface Abandoned {
  message_id: string;
  type: MessageType;
  channel: Channel;
  status: 'waiting' | 'unknown';
}

/**
 * Ends attempts whose process no longer runs. A message that was not handed over is sent again; of the others it is not known, so
 * that they are not.
 */
export function recoverAbandoned(db: Sql): Promise<Abandoned[]> {
  return db.rows<Abandoned>(`
    UPDATE messages SET
      status = CASE WHEN is_handed_over THEN 'unknown' ELSE 'waiting' END,
      reason = CASE WHEN is_handed_over THEN 'no_answer' END,
      to_address = CASE WHEN is_handed_over THEN NULL ELSE to_address END,
      held_until = NULL
    WHERE message_id IN (
      SELECT message_id FROM messages WHERE status = 'sending' AND held_until < clock_timestamp()
      FOR UPDATE SKIP LOCKED)
    RETURNING message_id, type, channel, status`);
}

/** Reads since when the oldest message that should have been sent waits; undefined if none does. */
export async function readOldestDue(db: Sql, now: Date): Promise<Date | undefined> {
  const row = await db.first<{ oldest_at: Date | null }>(
    `SELECT min(not_before) AS oldest_at FROM messages WHERE status = 'waiting' AND not_before <= $1`,
    [now],
  );
  return row?.oldest_at ?? undefined;
}
