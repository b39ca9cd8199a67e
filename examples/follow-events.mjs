#!/usr/bin/env node
// `NATS_URL=nats://… follow-events.mjs [type]`: prints the service's events, and continues where it stopped. Without
// NATS_URL it follows an `npm start` on this machine.
import { readFileSync } from 'node:fs';
import { AckPolicy, connect } from 'nats';

const [type = '>'] = process.argv.slice(2);
const dataDir = process.env.DATA_DIR ?? '.data';
const given = process.env.NATS_URL ?? JSON.parse(readFileSync(`${dataDir}/endpoints.json`, 'utf8')).natsUrl;
// Servers are separated by commas, with or without a scheme. The client reads neither login nor TLS from a URL.
const urls = given.split(',').map((part) => new URL(part.includes('://') ? part.trim() : `nats://${part.trim()}`));
const { username, password } = urls.find((url) => url.username !== '') ?? urls[0];
const [user, pass] = [username, password].map(decodeURIComponent);
const connection = await connect({
  servers: urls.map((url) => url.host),
  // Each login of deploy/nats may read answers only under its own prefix.
  ...(pass === '' ? { token: user || undefined } : { user, pass, inboxPrefix: `_INBOX.${user}` }),
  ...(urls.some((url) => url.protocol === 'tls:') ? { tls: {} } : {}),
});

const durable = `example-${type.replace(/[^a-z_]/g, '-')}`;
const manager = await connection.jetstreamManager();
await manager.consumers.add('LEDGER', {
  durable_name: durable,
  filter_subject: `ledger.v1.*.${type}`,
  ack_policy: AckPolicy.Explicit,
});
const consumer = await connection.jetstream().consumers.get('LEDGER', durable);
const messages = await consumer.consume();
process.once('SIGINT', () => messages.stop());
for await (const message of messages) {
  const event = message.json();
  console.log(`${event.time} ${event.type} ${JSON.stringify(event.data)}`);
  // Acknowledge last: if the process ends earlier, the event is delivered again. Skip an event.id that was already handled.
  message.ack();
}
await connection.close();
