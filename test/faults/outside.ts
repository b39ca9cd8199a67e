/** What is outside of the system under test: a receiver of webhooks, and a mail server. They always work. */
import { createHmac, randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { SMTPServer } from 'smtp-server';
import { API_BASE } from '../../lib/contracts/api.ts';
import type { Deployment } from '../harness/cluster.ts';
import { eventually } from '../harness/eventually.ts';

/** Longer than gateways take to learn the routes of further services. */
const SUBSCRIBE_MAX_MS = 30_000;

/** What was sent to the outside. */
export interface Outside {
  /** The settings of the services that send there. */
  settings: NodeJS.ProcessEnv;
  /** Adds an endpoint for the events of all associations. */
  subscribe(site: Pick<Deployment, 'token'> & { origins: string[] }): Promise<void>;
  /** The ids of the events that were received, with a genuine signature, as often as they were. */
  events: string[];
  /** What was received otherwise. */
  forged: string[];
  /** The mails, in order. */
  mails: Mail[];
  stop(): Promise<void>;
}

export interface Mail {
  to: string;
  message_id: string;
  text: string;
}

export async function openOutside(): Promise<Outside> {
  const events: string[] = [];
  const forged: string[] = [];
  const mails: Mail[] = [];
  let key = Buffer.alloc(0);
  const receiver = createServer((request, response) => {
    void text(request).then((body) => {
      const id = String(request.headers['webhook-id']);
      const signed = `${id}.${String(request.headers['webhook-timestamp'])}.${body}`;
      const expected = `v1,${createHmac('sha256', key).update(signed).digest('base64')}`;
      (request.headers['webhook-signature'] === expected ? events : forged).push(id);
      response.writeHead(204).end();
    });
  });
  const mailServer = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onData: (stream, { envelope }, done) => {
      void text(stream).then((mail) => {
        const [, message_id = ''] = /^message-id: (.*)$/im.exec(mail) ?? [];
        mails.push({ to: envelope.rcptTo[0]?.address ?? '', message_id, text: mail });
        done();
      });
    },
  });
  // A process that is killed cuts its connection.
  mailServer.on('error', () => undefined);
  await Promise.all([
    new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve)),
    new Promise<void>((resolve) => mailServer.listen(0, '127.0.0.1', resolve)),
  ]);
  const portOf = (server: { address(): unknown }) => String((server.address() as AddressInfo).port);
  const SMTP_URL = `smtp://127.0.0.1:${portOf(mailServer.server)}`;
  return {
    events,
    forged,
    mails,
    settings: { WEBHOOK_PRIVATE_ADDRESSES: 'allow', SMTP_URL, SMTP_FROM: 'tontine@example.com' },
    async subscribe({ origins: [origin = ''], token }) {
      const headers = {
        Authorization: `Bearer ${token('operator', { scope: 'webhooks:manage' })}`,
        'Content-Type': 'application/json',
        'Idempotency-Key': randomUUID(),
      };
      const body = JSON.stringify({ url: `http://127.0.0.1:${portOf(receiver)}/` });
      await eventually(async () => {
        const answer = await fetch(`${origin}${API_BASE}/webhooks`, { method: 'POST', headers, body });
        const { secret } = (await answer.json()) as { secret?: string };
        if (secret === undefined) throw new Error(`The endpoint was not added: ${String(answer.status)}`);
        key = Buffer.from(secret.slice('whsec_'.length), 'base64');
      }, SUBSCRIBE_MAX_MS);
    },
    async stop() {
      receiver.closeAllConnections();
      await Promise.all([
        new Promise((resolve) => receiver.close(resolve)),
        new Promise<void>((resolve) => mailServer.close(resolve)),
      ]);
    },
  };
}
