import type { QueryRunner } from 'typeorm';
import { SUBSCRIBER_TABLES } from '../events/subscriber-tables.ts';
import { CURSOR_TABLES } from '../paging/cursor-tables.ts';
import { grantTo } from './migrate.ts';
import { bigint, bool, bytes, instant, integer, json, key, optional, table, text, uuid } from './table.ts';

/** Events to be published; see lib/events. */
export const outbox = table('outbox', {
  position: key(bigint()),
  event_id: uuid(),
  association_id: optional(uuid()),
  type: text(),
  event: json<unknown>(),
  published_at: optional(instant()),
  stream_seq: optional(bigint()),
});

export const outboxLease = table('outbox_lease', {
  is_only: key(bool()),
  epoch: bigint(),
  holder: optional(text()),
  expires_at: instant(),
});

/** The files to which old events of the outbox were moved, as a chain; see lib/events/archives.ts. */
export const outboxArchives = table('outbox_archives', {
  last_position: key(bigint()),
  first_position: bigint(),
  events: integer(),
  /** The size of the events. */
  bytes: bigint(),
  first_time: instant(),
  last_time: instant(),
  file: text(),
  /** The hash of the uncompressed content. */
  sha256: text(),
  previous_sha256: text(),
  newest_event_id: uuid(),
  /** The place of the newest event in the stream. */
  stream_seq: optional(bigint()),
  published_at: instant(),
});

/** Events that a consumer has handled. */
export const inbox = table('inbox', { consumer: key(text()), event_id: key(uuid()), processed_at: instant() });

/** Events whose handler kept failing, for operators to look at. */
export const deadLetters = table('dead_letters', {
  consumer: key(text()),
  event_id: key(uuid()),
  subject: text(),
  event: json<unknown>(),
  /** The message of the last error. */
  error: text(),
  deliveries: integer(),
  dead_at: instant(),
});

/** The key that signs list cursors. It is in the database, so that all nodes of a service share it. */
export const cursorKeys = table('cursor_keys', { key: key(bytes()) });

export const idempotencyKeys = table('idempotency_keys', {
  user_id: key(text()),
  key: key(text()),
  fingerprint: text(),
  operation_id: uuid(),
  held_until: optional(instant()),
  claimed_at: instant(),
  answer: optional(json<unknown>()),
});

/** The tables that every service has. */
export const SERVICE_TABLES = [outbox, outboxLease, outboxArchives, inbox, deadLetters, cursorKeys, idempotencyKeys];

/**
 * Creates the outbox, the inbox and dead letters of subscribers, and the key that signs list cursors. For a service's first
 * migration.
 */
export async function createServiceTables(queryRunner: QueryRunner): Promise<void> {
  await queryRunner.query(`
    CREATE TABLE outbox (
      position bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      event_id uuid NOT NULL UNIQUE,
      association_id uuid,
      type text NOT NULL,
      event json NOT NULL,
      published_at timestamptz
    )`);
  await queryRunner.query(`CREATE INDEX outbox_unpublished ON outbox (position) WHERE published_at IS NULL`);
  for (const statement of SUBSCRIBER_TABLES) await queryRunner.query(statement);
  for (const statement of CURSOR_TABLES) await queryRunner.query(statement);
  await grantTo(queryRunner, 'outbox', 'SELECT, INSERT, UPDATE (published_at)');
  await grantTo(queryRunner, 'inbox', 'SELECT, INSERT');
  await grantTo(queryRunner, 'dead_letters', 'SELECT, INSERT, DELETE');
  await grantTo(queryRunner, 'cursor_keys', 'SELECT');
}

/**
 * Creates the lease that decides which relay of an outbox may publish, and the column of each event's place in the stream.
 * For a migration after the one with createServiceTables().
 */
export async function createOutboxLease(queryRunner: QueryRunner): Promise<void> {
  await queryRunner.query('ALTER TABLE outbox ADD COLUMN stream_seq bigint');
  await queryRunner.query(`
    CREATE TABLE outbox_lease (
      is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only),
      epoch bigint NOT NULL DEFAULT 0,
      holder text,
      expires_at timestamptz NOT NULL DEFAULT '-infinity'
    )`);
  await queryRunner.query('INSERT INTO outbox_lease DEFAULT VALUES');
  await grantTo(queryRunner, 'outbox', 'SELECT, INSERT, UPDATE (published_at, stream_seq)');
  await grantTo(queryRunner, 'outbox_lease', 'SELECT, UPDATE');
}

/** Undoes createOutboxLease(). */
export async function dropOutboxLease(queryRunner: QueryRunner): Promise<void> {
  await queryRunner.query('DROP TABLE outbox_lease');
  await queryRunner.query('ALTER TABLE outbox DROP COLUMN stream_seq');
}

/**
 * Creates the records of archived events. The service's role cannot write them, nor delete events: an administrator archives.
 * For a migration after the one with createOutboxLease().
 */
export async function createOutboxArchives(queryRunner: QueryRunner): Promise<void> {
  await queryRunner.query(`
    CREATE TABLE outbox_archives (
      last_position bigint PRIMARY KEY,
      first_position bigint NOT NULL CHECK (first_position <= last_position),
      events integer NOT NULL CHECK (events > 0),
      bytes bigint NOT NULL,
      first_time timestamptz NOT NULL,
      last_time timestamptz NOT NULL,
      file text NOT NULL UNIQUE,
      sha256 char(64) NOT NULL UNIQUE,
      previous_sha256 char(64) NOT NULL UNIQUE,
      newest_event_id uuid NOT NULL,
      stream_seq bigint,
      published_at timestamptz NOT NULL
    )`);
  await grantTo(queryRunner, 'outbox_archives', 'SELECT, UPDATE (stream_seq, published_at)');
}

/** Undoes createOutboxArchives(). */
export async function dropOutboxArchives(queryRunner: QueryRunner): Promise<void> {
  await queryRunner.query('DROP TABLE outbox_archives');
}
