/** What must hold for the webhooks and mails of a run. */
import { setTimeout as sleep } from 'node:timers/promises';
import { TABLE_SERVICES } from '../../lib/config/service-names.ts';
import { inDatabase } from '../harness/cluster.ts';
import type { Site } from './site.ts';
import { associationsOf } from './stored-effects.ts';
import type { World } from './world.ts';

/** Longer than a delivery belongs to a process that was killed, and than the first wait after a failure. */
const PATIENCE_MS = 60_000;
const LOOK_EVERY_MS = 250;

/** Waits until a check finds nothing. @returns what it finds at last */
async function patiently(check: () => Promise<string[]>): Promise<string[]> {
  const end_ms = performance.now() + PATIENCE_MS;
  for (;;) {
    const found = await check();
    if (found.length === 0 || performance.now() > end_ms) return found;
    await sleep(LOOK_EVERY_MS);
  }
}

/** Each event of the run's associations has arrived at least once, and nothing that is not genuine. */
export async function checkWebhooks(site: Site, world: World): Promise<string[]> {
  const { events, forged } = site.outside;
  const associations = associationsOf(world);
  const stored = await Promise.all(
    TABLE_SERVICES.map((service) =>
      inDatabase(site, service, async (client) => {
        const sql = 'SELECT event_id, type FROM outbox WHERE association_id = ANY($1::uuid[])';
        return (await client.query<{ event_id: string; type: string }>(sql, [associations])).rows;
      }),
    ),
  );
  const lost = await patiently(() => {
    const received = new Set(events);
    return Promise.resolve(
      stored
        .flat()
        .filter(({ event_id }) => !received.has(event_id))
        .map(wordsOf),
    );
  });
  return [...lost, ...forged.map((id) => `${id} arrived with a signature that is not genuine`)];
}

const wordsOf = ({ event_id, type }: { event_id: string; type: string }) => `${type} ${event_id} did not arrive`;

/** No mail is sent twice, none waits for ever, and each change of a role is told. */
export async function checkMails(site: Site, world: World, run: string): Promise<string[]> {
  const ids = site.outside.mails.map(({ message_id }) => message_id);
  const twice = ids.filter((id, index) => ids.indexOf(id) !== index).map((id) => `the mail ${id} was sent twice`);
  const unfinished = await patiently(() =>
    inDatabase(site, 'reminders', async (client) => {
      const sql = `SELECT type || ' to ' || user_id || ' is ' || status AS words FROM messages
        WHERE user_id LIKE $1 AND status IN ('waiting', 'sending')`;
      return (await client.query<{ words: string }>(sql, [`${run}-%`])).rows.map(({ words }) => words);
    }),
  );
  return [...twice, ...unfinished, ...(await untoldRoles(site, world))];
}

async function untoldRoles(site: Site, world: World): Promise<string[]> {
  const changes = await inDatabase(site, 'membership', async (client) => {
    const sql = `SELECT event_id FROM outbox WHERE type = 'member.role_changed' AND association_id = ANY($1::uuid[])`;
    return (await client.query<{ event_id: string }>(sql, [associationsOf(world)])).rows;
  });
  return patiently(() =>
    inDatabase(site, 'reminders', async (client) => {
      const { rows } = await client.query<{ key: string }>(`SELECT key FROM occasions WHERE type = 'role_changed'`);
      const told = new Set(rows.map(({ key }) => key));
      const untold = changes.filter(({ event_id }) => !told.has(`role_changed:${event_id}`));
      return untold.map(({ event_id }) => `the change of a role ${event_id} is not told`);
    }),
  );
}
