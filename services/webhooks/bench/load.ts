/**
 * node services/webhooks/bench/load.ts [seconds] [events a second] [endpoints] [dead endpoints]: measures how long deliveries to
 * working endpoints take while others are dead. A third of those refuse connections, a third never answer, a third answer 500. Every
 * part runs on this machine: PostgreSQL, NATS, the service, and the receivers.
 */
import { fork } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { loadavg } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { exampleEvent, type AnyEvent } from '@association-service/contracts';
import { readServiceSettings, startService } from '@association-service/contracts/service';
import { openSqlDatabase } from '@association-service/contracts/subscriber';
import { startTestServers, TEST_CALLER_KEY } from '@association-service/contracts/testing';
import { NAME } from '../src/contracts.ts';
import { placeOf } from '../src/secrets/message.ts';
import { secretBox } from '../src/secrets/secret-box.ts';
import { SECRET_BYTES, writeSecret } from '../src/secrets/signature.rules.ts';
import { webhooks } from '../src/service.ts';

const [seconds = 60, rate = 100, endpoints = 10_000, dead = 1_000] = process.argv.slice(2).map(Number);
const KEY = 'the key of webhook secrets in the load run';
/** Nothing listens there. */
const CLOSED_PORT = 9;
/** How often events are published: several at a time, as requests of people would be. */
const TICK_MS = 50;
/** The last deliveries arrive within this time. */
const REST_MS = 3_000;

const print = (line: string) => void process.stdout.write(`${line}\n`);

const receivers = fork(new URL('receivers.ts', import.meta.url));
const [{ port }] = (await once(receivers, 'message')) as [{ port: number }];
const servers = await startTestServers();
const DATABASE_URL = await servers.createDatabase();
const env = {
  NATS_URL: servers.natsUrl,
  DATABASE_URL,
  CALLER_KEY: TEST_CALLER_KEY,
  METRICS_PORT: '0',
  LOG_LEVEL: 'error',
};
const stops: (() => Promise<void>)[] = [];
const settings = readServiceSettings(NAME, { ...env, WEBHOOK_SECRET_KEY: KEY, WEBHOOK_PRIVATE_ADDRESSES: 'allow' });
await startService(webhooks, settings, (stop) => stops.push(stop));
const db = await openSqlDatabase(DATABASE_URL, []);

/** One endpoint for each association, and each created by another user. */
const association_ids = Array.from({ length: endpoints }, () => randomUUID());
const box = secretBox([KEY]);
const urls = association_ids.map((_, index) => {
  if (index >= dead) return `http://127.0.0.1:${String(port)}/ok/${String(index)}`;
  if (index % 3 === 0) return `http://127.0.0.1:${String(CLOSED_PORT)}/`;
  return `http://127.0.0.1:${String(port)}/${index % 3 === 1 ? 'hang' : 'error'}/${String(index)}`;
});
const ids = association_ids.map(() => randomUUID());
await db.run(
  `INSERT INTO webhooks (id, association_id, url, types, status, sealed_secret, secret_made_by, created_by_user_id, created_at)
   SELECT id, association_id, url, '{*}', 'enabled', secret, id, 'user ' || n, now()
   FROM unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[]) WITH ORDINALITY AS w (id, association_id, url, secret, n)`,
  [ids, association_ids, urls, ids.map((id) => box.seal(writeSecret(randomBytes(SECRET_BYTES)), placeOf(id)))],
);
await db.run('ANALYZE');

print(
  `${String(rate)} events a second for ${String(seconds)} s, ${String(endpoints)} endpoints, ${String(dead)} of them dead`,
);
const cpu = process.cpuUsage();
const began_ms = performance.now();
let published = 0;
let toWorking = 0;
while (performance.now() - began_ms < seconds * 1_000) {
  const due = Math.floor(((performance.now() - began_ms) / 1_000) * rate) - published;
  const events = Array.from({ length: due }, () => {
    const index = Math.floor(Math.random() * endpoints);
    if (index >= dead) toWorking += 1;
    const event = exampleEvent('contribution.paid', { id: randomUUID() }) as AnyEvent;
    return Object.assign(event, { subject: association_ids[index] ?? '', time: new Date().toISOString() });
  });
  await servers.publish(...events);
  published += events.length;
  await delay(TICK_MS);
}
await delay(REST_MS);
const { user, system } = process.cpuUsage(cpu);
receivers.send('stop');
const [result] = (await once(receivers, 'message')) as [{ delays_ms: number[]; counts: Record<string, number> }];
const sorted = result.delays_ms.toSorted((a, b) => a - b);
const at = (part: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))];
print(`load average: ${loadavg()[0]?.toFixed(1) ?? ''}`);
print(
  `events: ${String(published)}, to working endpoints: ${String(toWorking)}, arrived there: ${String(sorted.length)}`,
);
print(`requests by kind: ${JSON.stringify(result.counts)}`);
print(
  `delay to working endpoints, ms: p50 ${at(0.5)}, p90 ${at(0.9)}, p99 ${at(0.99)}, p99.9 ${at(0.999)}, most ${at(1)}`,
);
print(`CPU of the service and the publisher: ${(((user + system) / 1e6 / seconds) * 100).toFixed(0)} % of a core`);
const statuses = await db.rows(`SELECT status, count(*)::integer FROM deliveries GROUP BY 1`);
print(`deliveries: ${JSON.stringify(statuses)}`);
await db.close();
for (const stop of stops.toReversed()) await stop();
await servers.stop();
process.exit();
