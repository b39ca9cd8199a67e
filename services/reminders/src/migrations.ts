import { SERVICE_TABLES, type SqlMigration } from '@association-service/contracts/subscriber';

/** The steps to the current schema, oldest first. Never change a released step: add another one. */
export const MIGRATIONS: readonly SqlMigration[] = [
  {
    name: '0001-create-tables',
    statements: [
      ...SERVICE_TABLES,
      // What the events say of associations, members and meetings.
      `CREATE TABLE associations (
        association_id uuid PRIMARY KEY,
        name text NOT NULL,
        currency text NOT NULL,
        time_zone text NOT NULL
      )`,
      `CREATE TABLE members (
        member_id uuid PRIMARY KEY,
        association_id uuid NOT NULL,
        user_id text NOT NULL,
        -- Null while they are a member.
        left_at timestamptz
      )`,
      'CREATE INDEX members_left ON members (left_at) WHERE left_at IS NOT NULL',
      `CREATE TABLE meetings (
        meeting_id uuid PRIMARY KEY,
        association_id uuid NOT NULL,
        due_on date NOT NULL,
        status text NOT NULL CHECK (status IN ('open', 'settled', 'cancelled')),
        -- When this day was learned of, and whether its occasions are stored.
        learned_at timestamptz NOT NULL,
        is_planned boolean NOT NULL
      )`,
      'CREATE INDEX meetings_unplanned ON meetings (meeting_id) WHERE NOT is_planned',
      // Something to tell, before its receivers are known.
      `CREATE TABLE occasions (
        occasion_id uuid PRIMARY KEY,
        -- Names the occasion: what is told once has one key.
        key text NOT NULL UNIQUE,
        type text NOT NULL,
        association_id uuid,
        meeting_id uuid,
        member_id uuid,
        user_id text,
        facts jsonb NOT NULL,
        due_at timestamptz NOT NULL,
        -- Later than due_at once its receivers could not be found out.
        next_try_at timestamptz NOT NULL,
        expires_at timestamptz NOT NULL,
        status text NOT NULL CHECK (status IN ('waiting', 'done', 'dropped')),
        reason text,
        -- The last member of the pages that are stored.
        after_member_id uuid,
        failures integer NOT NULL DEFAULT 0,
        held_until timestamptz
      )`,
      `CREATE INDEX occasions_to_try ON occasions (next_try_at) WHERE status = 'waiting'`,
      `CREATE INDEX occasions_due ON occasions (due_at) WHERE status = 'waiting'`,
      'CREATE INDEX occasions_of_meeting ON occasions (meeting_id) WHERE meeting_id IS NOT NULL',
      `CREATE INDEX occasions_of_association ON occasions (association_id) WHERE status = 'waiting'`,
      `CREATE INDEX occasions_by_age ON occasions (expires_at) WHERE status <> 'waiting'`,
      `CREATE TABLE preferences (
        user_id text PRIMARY KEY,
        language text NOT NULL,
        -- Null: all, also those of later releases.
        channels text[],
        types text[],
        quiet_from text,
        quiet_to text,
        quiet_zone text
      )`,
      `CREATE TABLE addresses (
        user_id text NOT NULL,
        channel text NOT NULL CHECK (channel IN ('email', 'sms')),
        -- As last set, and the confirmed one to which messages go.
        address text NOT NULL,
        in_use text,
        -- Of the code that was sent to the address; null if none can confirm it.
        code_id uuid,
        code_expires_at timestamptz,
        wrong_tries integer NOT NULL DEFAULT 0,
        PRIMARY KEY (user_id, channel)
      )`,
      // Counts the codes that were sent, so that no address gets many. The address is an HMAC.
      `CREATE TABLE code_requests (
        code_id uuid PRIMARY KEY,
        user_id text NOT NULL,
        address_hash bytea NOT NULL,
        requested_at timestamptz NOT NULL
      )`,
      'CREATE INDEX code_requests_of_user ON code_requests (user_id, requested_at)',
      'CREATE INDEX code_requests_of_address ON code_requests (address_hash, requested_at)',
      'CREATE INDEX code_requests_by_age ON code_requests (requested_at)',
      `CREATE TABLE messages (
        message_id uuid PRIMARY KEY,
        occasion_key text NOT NULL,
        user_id text NOT NULL,
        channel text NOT NULL CHECK (channel IN ('email', 'sms')),
        member_id uuid,
        association_id uuid,
        type text NOT NULL,
        facts jsonb NOT NULL,
        -- Only of messages to one address; null once the message is done.
        to_address text,
        status text NOT NULL CHECK (status IN ('waiting', 'sending', 'sent', 'skipped', 'failed', 'unknown')),
        reason text,
        created_at timestamptz NOT NULL,
        -- When that of which its facts tell has happened: a message that others have joined tells the last of them.
        occurred_at timestamptz NOT NULL,
        expires_at timestamptz NOT NULL,
        -- Codes and security are sent before reminders, of which there may be thousands.
        is_urgent boolean NOT NULL,
        not_before timestamptz NOT NULL,
        -- Set once it could not be known whether the occasion still holds.
        next_try_at timestamptz,
        -- When it was last certain that the occasion still holds.
        checked_at timestamptz NOT NULL,
        failures integer NOT NULL DEFAULT 0,
        -- The attempt that is running: its number, its end, and whether the other side may have accepted the message.
        attempt integer NOT NULL DEFAULT 0,
        held_until timestamptz,
        is_handed_over boolean NOT NULL DEFAULT false,
        subject text,
        body text,
        sent_at timestamptz,
        -- Whatever crashes, there is one message for an occasion, person and channel.
        UNIQUE (occasion_key, user_id, channel)
      )`,
      `CREATE INDEX messages_due ON messages (channel, is_urgent DESC, not_before) WHERE status = 'waiting'`,
      `CREATE INDEX messages_held ON messages (held_until) WHERE status = 'sending'`,
      `CREATE INDEX messages_done_of_user ON messages (user_id, created_at DESC, message_id DESC)
        WHERE status IN ('sent', 'skipped', 'failed', 'unknown')`,
      `CREATE INDEX messages_waiting_of_user ON messages (user_id) WHERE status = 'waiting'`,
      'CREATE INDEX messages_by_age ON messages (created_at)',
      // Counts the messages of a person and the SMS to a number, which are limited. What is counted is an HMAC.
      `CREATE TABLE message_counts (
        counted_as bytea NOT NULL,
        message_id uuid NOT NULL,
        counted_at timestamptz NOT NULL,
        PRIMARY KEY (counted_as, message_id)
      )`,
      'CREATE INDEX message_counts_latest ON message_counts (counted_as, counted_at)',
      'CREATE INDEX message_counts_by_age ON message_counts (counted_at)',
    ],
  },
];
