import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import type { ClientBase } from 'pg';
import { DATABASE_SERVICES, TABLE_SERVICES } from '../../lib/config/service-names.ts';
import { inDatabase, type Deployment } from './cluster.ts';
import { eventually } from './eventually.ts';

/**
 * Rows that a refused request may leave or change: a used ciphertext, and a refusal under the id of its operation. Nodes renew
 * their rows by themselves. All other rows must be unchanged.
 */
const MAY_CHANGE = new Set(['used_ciphertexts', 'outbox_lease', 'pin_key_nodes']);
const DELETED = 'SELECT id FROM webhooks WHERE deleted_at IS NOT NULL';
const REFUSED: Record<string, string> = {
  transfers: 'refusal IS NOT NULL',
  contributions: `status = 'refused'`,
  fine_payments: `status = 'refused'`,
  // A due without payments is equivalent to no due.
  dues: 'taken_minor = 0',
  cycles: `status = 'refused'`,
  distributions: `status = 'refused'`,
  cash_deposits: `status = 'refused'`,
  // These are deleted once a minute.
  contribution_statements: `contribution_id IN (SELECT id FROM contributions WHERE status <> 'pending')`,
  webhooks: 'deleted_at IS NOT NULL',
  deliveries: `webhook_id IN (${DELETED})`,
  replays: `webhook_id IN (${DELETED})`,
};

/** Columns that may change: which rows to look at again, and counted wrong PINs. */
const CHANGING = '{rejudge_mark,failed_attempts,lock_count,locked_until}';

/** Longer than events take from their commit to the rows of their subscribers, some of whose jobs run once a second. */
const QUIET_MS = 2_000;

/** Returns the number and a digest of the rows of every table of every service, and the balances of the ledger. */
export async function everythingStored(deployment: Deployment): Promise<Record<string, string>> {
  const stored: Record<string, string> = {};
  for (const service of DATABASE_SERVICES) {
    await inDatabase(deployment, service, async (client) => {
      for (const table of await tablesOf(client)) {
        const where = REFUSED[table] === undefined ? '' : `WHERE NOT (${REFUSED[table]})`;
        const { rows } = await client.query<{ n: string; digest: string }>(
          `SELECT count(*) AS n, sum(hashtextextended((to_jsonb(t) - $1::text[])::text, 0)) AS digest
             FROM ${table} AS t ${where}`,
          [CHANGING],
        );
        stored[`${service}.${table}`] = `${rows[0]?.n ?? ''} rows, ${rows[0]?.digest ?? ''}`;
      }
    });
  }
  const { rows } = await inDatabase(deployment, 'treasury', (client) =>
    client.query('SELECT account_id, balance::text FROM accounts WHERE balance <> 0 ORDER BY account_id'),
  );
  return { ...stored, balances: JSON.stringify(rows) };
}

/** The longest wait: events of many groups may be on their way. */
const QUIET_MAX_MS = 60_000;

/** Waits until all events are handled and nothing changes by itself. @returns everything stored */
export function untilQuiet(deployment: Deployment): Promise<Record<string, string>> {
  return eventually(async () => {
    const before = await everythingStored(deployment);
    await sleep(QUIET_MS);
    expect(await everythingStored(deployment)).to.deep.equal(before);
    return before;
  }, QUIET_MAX_MS);
}

async function tablesOf(client: ClientBase): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' ORDER BY tablename`,
  );
  return rows.map((row) => row.name).filter((name) => !MAY_CHANGE.has(name));
}

/** Returns all events in the outboxes of the services. */
export async function eventsStored(deployment: Deployment): Promise<{ type: string }[]> {
  const events = TABLE_SERVICES.map((service) =>
    inDatabase(deployment, service, async (client) => {
      const { rows } = await client.query<{ event: { type: string } }>('SELECT event FROM outbox ORDER BY position');
      return rows.map(({ event }) => event);
    }),
  );
  return (await Promise.all(events)).flat();
}
