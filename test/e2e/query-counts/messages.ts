/** Operations on webhooks, and on what the caller is told. */
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { codeOf } from '../../../services/reminders/src/preferences/codes.rules.ts';
import { CODE_KEY } from '../../harness/counted-services.ts';
import { foundGroup } from '../../harness/group.ts';
import type { HttpClient, Json } from '../../harness/http.ts';
import { acceptingReceiver } from '../../harness/webhook-receiver.ts';
import { SELDOM } from '../conformance/webhooks.ts';
import type { Meter } from './meter.ts';

/** Measures the endpoints of a group and those of all groups: as many as the meter's size, one with as many deliveries. */
export async function measureWebhooks(meter: Meter): Promise<void> {
  const { path, members } = await foundGroup(meter.services, { size: meter.size, roles: ['president'] });
  const manager = meter.client('manager', { scope: 'webhooks:manage' });
  await measureEndpoints(meter, 'Webhook', members[0]!.http, `${path}/webhooks`);
  await measureEndpoints(meter, 'GlobalWebhook', manager, '/webhooks');
}

async function measureEndpoints(meter: Meter, noun: string, http: HttpClient, path: string): Promise<void> {
  const endpoint = { ...SELDOM, url: (await acceptingReceiver()).url };
  const others: Json[] = [];
  for (let count = 1; count < meter.size; count += 1) others.push(await http.created(path, endpoint));
  const { id } = await meter.post(`create${noun}`, http, path, endpoint);
  await meter.get(`list${noun}s`, http, path);
  const one = `${path}/${id as string}`;
  await meter.get(`get${noun}`, http, one);
  await measureDeliveries(meter, noun, http, one);
  await meter.post(`rotate${noun}Secret`, http, `${one}/rotate-secret`);
  await meter.send(`change${noun}`, http, 'PATCH', one, { description: 'Changed' });
  await meter.send(`change${noun}, disabled`, http, 'PATCH', one, { status: 'disabled' });
  await meter.send(`change${noun}, enabled`, http, 'PATCH', one, { status: 'enabled' });
  await meter.send(`delete${noun}`, http, 'DELETE', one);
  // There may be only a few for all associations.
  for (const { id: other } of others) await http.send('DELETE', `${path}/${other as string}`);
}

async function measureDeliveries(meter: Meter, noun: string, http: HttpClient, endpoint: string): Promise<void> {
  const { id } = await meter.post(`ping${noun}`, http, `${endpoint}/ping`);
  for (let count = 1; count < meter.size; count += 1) await http.okPost(`${endpoint}/ping`, {});
  await meter.get(`list${noun}Deliveries`, http, `${endpoint}/deliveries`);
  await meter.get(`list${noun}Deliveries, by status`, http, `${endpoint}/deliveries?status=delivered`);
  await meter.post(`retry${noun}Delivery`, http, `${endpoint}/deliveries/${id as string}/retry`);
  await meter.post(`replay${noun}Events`, http, `${endpoint}/replay`, { from: '2026-01-01T00:00:00Z' });
}

/** Measures the settings of a user with as many messages as the meter's size. */
export async function measureNotifications(meter: Meter): Promise<void> {
  const user_id = `told-${String(meter.size)}`;
  const http = meter.client(user_id);
  const change = (name: string, body: Json) =>
    meter.send(`changePreferences, ${name}`, http, 'PATCH', '/me/notifications', body);
  const client = new pg.Client({ connectionString: meter.services.adminUrl('reminders') });
  await client.connect();
  try {
    await meter.get('getPreferences', http, '/me/notifications');
    await change('language', { language: 'fr', channels: ['email'] });
    await change('quiet hours', { quiet_hours: { from: '21:00', to: '07:00' } });
    await change('a new address', { email: `${user_id}@example.com` });
    const { rows } = await client.query<{ code_id: string }>('SELECT code_id FROM addresses WHERE user_id = $1', [
      user_id,
    ]);
    const code = codeOf(CODE_KEY, rows[0]!.code_id);
    await meter.post('confirmAddress', http, '/me/notifications/confirm', { channel: 'email', code });
    await change('another address', { email: `other-${user_id}@example.com` });
    await change('no address', { email: null });
    await client.query(MESSAGES, [user_id, Array.from({ length: meter.size }, () => randomUUID())]);
    await meter.get('listSent', http, '/me/notifications/sent');
  } finally {
    await client.end();
  }
}

/** Jobs, which do not run here, would write messages. */
const MESSAGES = `
  INSERT INTO messages (message_id, occasion_key, user_id, channel, type, facts, status, reason, created_at, occurred_at,
    expires_at, is_urgent, not_before, checked_at)
  SELECT id, 'pin_changed:' || id, $1, 'email', 'pin_changed', '{}', 'skipped', 'no_channel', now(), now(), now(), true,
    now(), now()
  FROM unnest($2::uuid[]) AS id`;
