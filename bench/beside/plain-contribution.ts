import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { uuidv7 } from 'uuidv7';
import { loadSettings } from '../../lib/config/settings.ts';
// The plain ledger reads bigint columns as bigints.
import '../../lib/db/pg-types.ts';
import { createRuntime } from '../../lib/runtime/create-runtime.ts';
import { AMOUNT_MINOR, CURRENCY } from '../apparatus/amounts.ts';
import { closedLoop } from '../apparatus/closed-loop.ts';
import type { HotLedger } from '../apparatus/hot-ledger.ts';
import type { Worker } from '../apparatus/worker.ts';
import { plainLedger } from './plain-ledger.ts';
import { openPlainRelay } from './plain-relay.ts';

/** Who contributes to what, in databases that the services have filled. */
export interface PlainContributionInput {
  databases: { membership: string; contribution: string; treasury: string };
  natsUrl: string;
  dataDir: string;
  association_id: string;
  meeting_id: string;
  payers: Payer[];
}

export interface Payer {
  user_id: string;
  member_id: string;
  wallet_id: string;
}

/** As many as a process of the services has to each database: more backends than this only take turns on few cores. */
const POOL_MAX_CONNECTIONS = 16;

/** SHA-256. */
const DIGEST_BYTES = 32;

// All statements have names, so that each connection prepares them once.

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
           wallet_id, method, amount_minor, currency, status, outstanding_minor, created_at, driven_at)
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
         ), told AS (
           INSERT INTO outbox (event_id, association_id, type, event)
           SELECT $3::uuid, association_id, $4::text, $5::json FROM decided
         )
         SELECT * FROM decided`,
};

/**
 * The rows that a contribution reads and writes in the four places where it does, in plain SQL, and its events put
 * into JetStream: what is left when services, messages and cryptography are taken away. A statement for each step of a
 * contribution, and the ledger's transaction.
 */
export default async function plainContribution(input: PlainContributionInput): Promise<Worker> {
  const { databases, association_id, payers, natsUrl, meeting_id } = input;
  const [membership, contribution] = [poolOf(databases.membership), poolOf(databases.contribution)];
  const ledger = await ledgerOf(input);
  const relay = await openPlainRelay(natsUrl, [databases.contribution, databases.treasury]);

  async function contribute(index: number): Promise<void> {
    const payer = payers[index] as Payer;
    const { user_id, member_id, wallet_id } = payer;
    await execute(contribution, FIND_MEETING, [meeting_id, association_id]);
    await execute(membership, AUTHORIZE, [association_id, user_id]);
    // No ciphertext is opened here: the digest of one is 32 random bytes to whoever has no key.
    await execute(membership, USE_CIPHERTEXT, [user_id, randomBytes(DIGEST_BYTES), 'pin-1763683200', new Date()]);
    const id = uuidv7();
    const due = [meeting_id, member_id, AMOUNT_MINOR, id, user_id, wallet_id, new Date()];
    await execute(contribution, TAKE_DUE, due);
    await ledger.transfer(id, index);
    const event = paidEvent(input, payer, id);
    await execute(contribution, MARK_PAID, [id, new Date(), event.id, event.type, JSON.stringify(event)]);
  }

  return {
    async run(duration_ms, in_flight) {
      const stopRelay = relay.start();
      const load = { duration_ms, in_flight };
      const { count } = await closedLoop(load, (number) => contribute(number % payers.length));
      await stopRelay();
      return count;
    },
    stop: async () => void (await Promise.all([membership.end(), contribution.end(), ledger.stop(), relay.close()])),
  };
}

async function ledgerOf(input: PlainContributionInput): Promise<HotLedger> {
  const { databases, dataDir, association_id, meeting_id, payers, natsUrl } = input;
  const runtime = await createRuntime(loadSettings({ DATA_DIR: dataDir }), { natsUrl, databases: {} });
  const { treasury: url } = databases;
  const members = payers.map(({ user_id, member_id, wallet_id }) => ({
    ...{ user_id, member_id, wallet: `wallet:${wallet_id}` },
  }));
  const hot = { id: association_id, pool: `pool:${meeting_id}`, members };
  return plainLedger({ name: 'treasury', url, adminUrl: url }, hot, runtime, POOL_MAX_CONNECTIONS);
}

function poolOf(url: string): pg.Pool {
  return new pg.Pool({ connectionString: url, max: POOL_MAX_CONNECTIONS });
}

async function execute(pool: pg.Pool, statement: { name: string; text: string }, values: unknown[]): Promise<void> {
  const { rowCount } = await pool.query(statement, values);
  if (rowCount !== 1) throw new Error(`${statement.name} found ${String(rowCount)} rows instead of one`);
}

function paidEvent({ association_id, meeting_id }: PlainContributionInput, { member_id }: Payer, id: string) {
  return {
    specversion: '1.0',
    id: uuidv7(),
    source: '/association-service/contribution',
    type: 'contribution.paid',
    subject: association_id,
    time: new Date().toISOString(),
    datacontenttype: 'application/json',
    data: {
      ...{ contribution_id: id, meeting_id, member_id, paid_by_member_id: member_id, amount_minor: AMOUNT_MINOR },
      ...{ currency: CURRENCY, method: 'wallet', transfer_id: id },
    },
  };
}
