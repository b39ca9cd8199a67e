import type pg from 'pg';
import { pinKeysFile } from '../../lib/config/secrets.ts';
import { defaultDatabaseName, withDatabase } from '../../lib/embedded/provision.ts';
import { readKeyFile } from '../../lib/pin/key-file.ts';
import { AMOUNT_MINOR, CURRENCY } from './amounts.ts';
import { fillLedger } from './fill-ledger.ts';
import type { ServiceProcesses } from './service-processes.ts';

/** How many members contribute to each meeting, once each. */
const MEMBERS_OF_MEETING = 10;

/** One statement writes so many contributions. */
const CHUNK_CONTRIBUTIONS = 50_000;

/**
 * Meetings of associations that nothing is measured in, with their dues, paid contributions, and published events.
 * $1 currency, $2 contributions, $3 members of each meeting, $4 amount
 */
const CONTRIBUTIONS = `
  WITH held AS MATERIALIZED (
    SELECT uuidv7() AS id, uuidv7() AS association_id, no
    FROM generate_series(1, $2::bigint / $3::bigint) AS no
  ), made AS (
    INSERT INTO meetings (id, association_id, due_on, status, currency, expected_minor, created_at)
    SELECT id, association_id, current_date, 'open', $1, 0, now() FROM held
  ), paid AS MATERIALIZED (
    SELECT uuidv7() AS id, uuidv7() AS member_id, uuidv7() AS event_id, held.id AS meeting_id, association_id
    FROM held, generate_series(1, $3::bigint)
  ), due AS (
    INSERT INTO dues (meeting_id, member_id, taken_minor, paid_minor)
    SELECT meeting_id, member_id, $4::bigint, $4::bigint FROM paid
  ), stored AS (
    INSERT INTO contributions (id, association_id, meeting_id, member_id, paid_by_member_id, payer_user_id, wallet_id,
      method, amount_minor, currency, status, outstanding_minor, created_at, decided_at, driven_at)
    SELECT id, association_id, meeting_id, member_id, member_id, 'user-' || member_id, member_id::text, 'wallet',
      $4::bigint, $1, 'paid', 0, now(), now(), now()
    FROM paid
  )
  INSERT INTO outbox (event_id, association_id, type, event, published_at)
  SELECT event_id, association_id, 'contribution.paid',
    json_build_object('specversion', '1.0', 'id', event_id, 'source', '/association-service/contribution',
      'type', 'contribution.paid', 'subject', association_id, 'time', now(), 'datacontenttype', 'application/json',
      'data', json_build_object('contribution_id', id, 'meeting_id', meeting_id, 'member_id', member_id,
        'paid_by_member_id', member_id, 'amount_minor', $4::bigint, 'currency', $1, 'method', 'wallet',
        'transfer_id', id)),
    now()
  FROM paid`;

/** The PINs that were sent with them; the key is one that still opens others, or they would be cleared away. $1 how many, $2 key */
const CIPHERTEXTS = `
  INSERT INTO used_ciphertexts (digest, user_id, kid, used_at)
  SELECT sha256(uuid_send(uuidv7())), 'user-' || gen_random_uuid(), $2, now() FROM generate_series(1, $1::bigint)`;

/** Puts `count` contributions with all that they leave behind into the databases of services that nobody has used yet. */
export async function fillContributions(processes: ServiceProcesses, count: number): Promise<void> {
  const { cluster } = processes;
  const adminUrl = withDatabase(cluster.adminUrl, defaultDatabaseName('treasury'));
  // The administrator's URL serves for both: nothing here acts as the service.
  await fillLedger({ name: 'treasury', url: adminUrl, adminUrl }, count);
  const [key] = await readKeyFile(pinKeysFile(cluster.dataDir));
  await inChunks(count, (chunk) =>
    write(processes.admin('contribution'), CONTRIBUTIONS, [CURRENCY, chunk, MEMBERS_OF_MEETING, AMOUNT_MINOR]),
  );
  await inChunks(count, (chunk) => write(processes.admin('membership'), CIPHERTEXTS, [chunk, key?.kid]));
  for (const service of ['contribution', 'membership'] as const) {
    await processes.admin(service).query('VACUUM (ANALYZE)');
    await processes.admin(service).query('CHECKPOINT');
  }
}

async function inChunks(count: number, work: (chunk: number) => Promise<void>): Promise<void> {
  for (let left = count; left > 0; left -= CHUNK_CONTRIBUTIONS) await work(Math.min(left, CHUNK_CONTRIBUTIONS));
}

/** Only what is measured has to last; the checkpoint at the end makes this last, too. */
async function write(pool: pg.Pool, text: string, values: unknown[]): Promise<void> {
  const client = await pool.connect();
  let broken = true;
  try {
    await client.query('BEGIN');
    await client.query('SET LOCAL synchronous_commit = off');
    await client.query(text, values);
    await client.query('COMMIT');
    broken = false;
  } finally {
    client.release(broken);
  }
}
