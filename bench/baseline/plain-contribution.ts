import { randomBytes } from 'node:crypto';
import { connect, type JetStreamClient } from 'nats';
import pg from 'pg';
import { uuidv7 } from 'uuidv7';
import { natsConnectOptions } from '../../lib/config/server-urls.ts';
import { subjectOf, type EventType } from '../../lib/contracts/events.ts';
import { closedLoop } from '../harness/closed-loop.ts';
import { CURRENCY } from '../harness/filled-group.ts';
import { AMOUNT_MINOR, type HotPool } from '../harness/hot-ledger.ts';
import type { Load, Worker } from '../harness/worker.ts';
import { eventOf, plainLedger } from './plain-transfer.ts';

/** Members who contribute to a meeting, in databases that the services have filled. */
export interface PlainContributionInput {
  databases: { membership: string; contribution: string; treasury: string };
  natsUrl: string;
  hot: HotPool;
}

/** The number of connections of a service process to its database; more backends only compete for few cores. */
const POOL_MAX_CONNECTIONS = 16;

/** Length of a SHA-256 digest. */
const DIGEST_BYTES = 32;

/** Number of events that are read from an outbox in one statement. */
const BATCH_MAX_EVENTS = 500;

const FIND_MEETING = {
  name: 'find_meeting',
  text: 'SELECT id, association_id, cycle_id, currency, status FROM meetings WHERE id = $1 AND association_id = $2',
};

const AUTHORIZE = {
  name: 'authorize',
  text: `SELECT a.id, a.name, a.type, a.status, a.currency, a.contribution_amount_minor,
           a.contribution_frequency, a.rules, a.rules_version, m.id AS member_id, m.user_id, m.display_name, m.role,
           m.status AS member_status, m.hands, m.payout_wallet_id, m.joined_at, p.salt, p.hash
         FROM members m JOIN associations a ON a.id = m.association_id LEFT JOIN pins p ON p.user_id = m.user_id
         WHERE m.association_id = $1 AND m.user_id = $2 AND m.status = 'active'`,
};

const USE_CIPHERTEXT = {
  name: 'use_ciphertext',
  text: `WITH pin AS (SELECT user_id FROM pins WHERE user_id = $1 FOR UPDATE)
         INSERT INTO used_ciphertexts (digest, user_id, kid, used_at)
         SELECT $2::bytea, user_id, $3::text, $4::timestamptz FROM pin`,
};

const TAKE_DUE = {
  name: 'take_due',
  text: `WITH meeting AS (
           SELECT id, association_id, currency FROM meetings WHERE id = $1 AND status = 'open' FOR SHARE
         ), taken AS (
           INSERT INTO dues AS d (meeting_id, member_id, due_minor, taken_minor, paid_minor)
           SELECT id, $2::uuid, NULL, $3::bigint, 0 FROM meeting
           ON CONFLICT (meeting_id, member_id) DO UPDATE SET taken_minor = d.taken_minor + EXCLUDED.taken_minor
             WHERE d.due_minor IS NULL OR d.taken_minor + EXCLUDED.taken_minor <= d.due_minor
           RETURNING taken_minor
         )
         INSERT INTO contributions (id, association_id, meeting_id, member_id, paid_by_member_id, payer_user_id,
           wallet_id, method, amount_minor, currency, status, outstanding_minor, created_at, last_attempt_at)
         SELECT $4::uuid, association_id, id, $2::uuid, $2::uuid, $5::text, $6::text, 'wallet', $3::bigint, currency,
           'pending', 0, $7::timestamptz, $7::timestamptz
         FROM meeting, taken`,
};

const MARK_PAID = {
  name: 'mark_paid',
  text: `WITH decided AS (
           UPDATE contributions SET status = 'paid', decided_at = $2 WHERE id = $1 AND status = 'pending' RETURNING *
         ), counted AS (
           UPDATE dues SET paid_minor = paid_minor + decided.amount_minor FROM decided
           WHERE dues.meeting_id = decided.meeting_id AND dues.member_id = decided.member_id
         ), announced AS (
           INSERT INTO outbox (event_id, association_id, type, event)
           SELECT $3::uuid, association_id, $4::text, $5::json FROM decided
         )
         SELECT * FROM decided`,
};

const NEXT_EVENTS = {
  name: 'next_events',
  text: `SELECT position::text, event_id, association_id, type, event::text FROM outbox WHERE published_at IS NULL
         ORDER BY position LIMIT $1`,
};

const MARK_PUBLISHED = {
  name: 'mark_published',
  text: 'UPDATE outbox SET published_at = $1 WHERE position = ANY($2::bigint[])',
};

/**
 * Writes the rows of a contribution without services, messages between them and cryptography: by a prepared statement
 * for each step and the ledger's transaction. Then it publishes the events to JetStream one after another.
 */
export default async function plainContribution(input: PlainContributionInput): Promise<Worker<Load, number>> {
  const { databases, hot, natsUrl } = input;
  const { association_id, meeting_id, members } = hot;
  const poolOf = (connectionString: string) => new pg.Pool({ connectionString, max: POOL_MAX_CONNECTIONS });
  const membership = poolOf(databases.membership);
  const contribution = poolOf(databases.contribution);
  const treasury = poolOf(databases.treasury);
  const ledger = plainLedger(databases.treasury, hot, POOL_MAX_CONNECTIONS);
  const connection = await connect(natsConnectOptions(natsUrl));
  const jetstream = connection.jetstream();

  async function contribute(payer: number): Promise<void> {
    const { user_id, member_id, wallet_id } = members[payer]!;
    await execute(contribution, FIND_MEETING, [meeting_id, association_id]);
    await execute(membership, AUTHORIZE, [association_id, user_id]);
    // No PIN is decrypted here, so 32 random bytes replace the digest of a ciphertext.
    await execute(membership, USE_CIPHERTEXT, [user_id, randomBytes(DIGEST_BYTES), 'pin-1763683200', new Date()]);
    const id = uuidv7();
    await execute(contribution, TAKE_DUE, [meeting_id, member_id, AMOUNT_MINOR, id, user_id, wallet_id, new Date()]);
    await ledger.transfer(id, payer);
    const event = eventOf('contribution', 'contribution.paid', association_id, {
      contribution_id: id,
      meeting_id,
      member_id,
      paid_by_member_id: member_id,
      amount_minor: AMOUNT_MINOR,
      currency: CURRENCY,
      method: 'wallet',
      transfer_id: id,
    });
    await execute(contribution, MARK_PAID, [id, new Date(), event.id, event.type, JSON.stringify(event)]);
  }

  return {
    async run(load) {
      const { count } = await closedLoop(load, (number) => contribute(number % members.length));
      await Promise.all([publishAll(contribution, jetstream), publishAll(treasury, jetstream)]);
      return count;
    },
    async stop() {
      await Promise.all([membership.end(), contribution.end(), treasury.end(), ledger.stop(), connection.close()]);
    },
  };
}

async function execute(pool: pg.Pool, statement: { name: string; text: string }, values: unknown[]): Promise<void> {
  const { rowCount } = await pool.query(statement, values);
  if (rowCount !== 1) throw new Error(`${statement.name} found ${String(rowCount)} rows instead of one`);
}

interface OutboxRow {
  position: string;
  event_id: string;
  association_id: string | null;
  type: EventType;
  event: string;
}

async function publishAll(pool: pg.Pool, jetstream: JetStreamClient): Promise<void> {
  for (;;) {
    const { rows } = await pool.query<OutboxRow>(NEXT_EVENTS, [BATCH_MAX_EVENTS]);
    if (rows.length === 0) return;
    for (const { event_id, association_id, type, event } of rows) {
      await jetstream.publish(subjectOf(association_id, type), event, { msgID: event_id });
    }
    await pool.query(MARK_PUBLISHED, [new Date(), rows.map((row) => row.position)]);
  }
}
