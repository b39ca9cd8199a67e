import { SERVICE_TABLES, type SqlMigration } from '@association-service/contracts/subscriber';

/** The steps to the current schema, oldest first. Never change a released step: add another one. */
export const MIGRATIONS: readonly SqlMigration[] = [
  {
    name: '0001-create-tables',
    statements: [
      ...SERVICE_TABLES,
      `CREATE TABLE webhooks (
        id uuid PRIMARY KEY,
        -- Null: it gets the events of all associations, and those without one.
        association_id uuid,
        url text NOT NULL,
        -- '*': all types, also those of later releases.
        types text[] NOT NULL CHECK (cardinality(types) > 0),
        description text,
        status text NOT NULL CHECK (status IN ('enabled', 'disabled')),
        disabled_reason text CHECK (disabled_reason IN ('request', 'gone', 'failing')),
        disabled_at timestamptz,
        -- When the first failure since the last success happened; null after a success.
        failing_since timestamptz,
        -- How often the URL was changed, or it was enabled again: an answer to an earlier request says nothing about it.
        repairs integer NOT NULL DEFAULT 0,
        -- Encrypted: see secrets/secret-box.ts.
        sealed_secret text NOT NULL,
        -- [{sealed, signs_until}], the newest first.
        old_secrets jsonb NOT NULL DEFAULT '[]',
        -- The request that made the secret, so that its repeat does not make another one.
        secret_made_by uuid NOT NULL,
        created_by_user_id text NOT NULL,
        created_at timestamptz NOT NULL,
        -- Set until its deliveries are deleted, which may take long.
        deleted_at timestamptz,
        CHECK ((status = 'disabled') = (disabled_reason IS NOT NULL AND disabled_at IS NOT NULL))
      )`,
      `CREATE INDEX webhooks_listed ON webhooks (association_id, created_at DESC, id DESC) WHERE deleted_at IS NULL`,
      `CREATE INDEX webhooks_deleted ON webhooks (id) WHERE deleted_at IS NOT NULL`,
      `CREATE TABLE events (
        id uuid PRIMARY KEY,
        association_id uuid,
        type text NOT NULL,
        occurred_at timestamptz NOT NULL,
        received_at timestamptz NOT NULL,
        -- Exactly what is sent.
        body text NOT NULL
      )`,
      `CREATE INDEX events_of_association ON events (association_id, occurred_at, id)`,
      `CREATE INDEX events_by_time ON events (occurred_at, id)`,
      `CREATE INDEX events_by_age ON events (received_at)`,
      `CREATE TABLE replays (
        id uuid PRIMARY KEY,
        webhook_id uuid NOT NULL REFERENCES webhooks,
        from_at timestamptz NOT NULL,
        to_at timestamptz NOT NULL,
        -- The last event of which there is a delivery.
        after_at timestamptz,
        after_id uuid,
        created_at timestamptz NOT NULL,
        done_at timestamptz
      )`,
      `CREATE UNIQUE INDEX replays_running ON replays (webhook_id) WHERE done_at IS NULL`,
      `CREATE INDEX replays_of_webhook ON replays (webhook_id)`,
      `CREATE TABLE deliveries (
        id uuid PRIMARY KEY,
        webhook_id uuid NOT NULL REFERENCES webhooks,
        event_id uuid NOT NULL REFERENCES events,
        -- Null for the event itself, and for a ping.
        replay_id uuid REFERENCES replays,
        status text NOT NULL CHECK (status IN ('pending', 'delivered', 'failed')),
        -- [{at, status_code, error, duration_ms}], the oldest first; only the latest are kept.
        attempts jsonb NOT NULL DEFAULT '[]',
        -- How many attempts have failed since it was made, or a user has asked for a retry.
        tries integer NOT NULL DEFAULT 0,
        next_attempt_at timestamptz,
        -- The process that sends it holds it until then, by the database's clock.
        claim_id uuid,
        claimed_until timestamptz,
        created_at timestamptz NOT NULL,
        finished_at timestamptz,
        CHECK ((status = 'pending') = (next_attempt_at IS NOT NULL)),
        CHECK ((status = 'pending') = (finished_at IS NULL))
      )`,
      `CREATE UNIQUE INDEX deliveries_once ON deliveries (webhook_id, event_id) WHERE replay_id IS NULL`,
      `CREATE UNIQUE INDEX deliveries_replayed_once ON deliveries (replay_id, event_id) WHERE replay_id IS NOT NULL`,
      `CREATE INDEX deliveries_due ON deliveries (webhook_id, next_attempt_at) WHERE status = 'pending'`,
      `CREATE INDEX deliveries_listed ON deliveries (webhook_id, created_at DESC, id DESC)`,
      `CREATE INDEX deliveries_with_status ON deliveries (webhook_id, status, created_at DESC, id DESC)`,
      `CREATE INDEX deliveries_finished ON deliveries (finished_at) WHERE finished_at IS NOT NULL`,
      `CREATE INDEX deliveries_of_event ON deliveries (event_id)`,
      `CREATE TABLE owner_notices (
        id uuid PRIMARY KEY,
        webhook_id uuid NOT NULL,
        association_id uuid,
        user_id text NOT NULL,
        reason text NOT NULL,
        url_host text NOT NULL,
        created_at timestamptz NOT NULL,
        told_at timestamptz
      )`,
      `CREATE INDEX owner_notices_to_tell ON owner_notices (created_at) WHERE told_at IS NULL`,
    ],
  },
];
