import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { Webhook } from 'standardwebhooks';
import { inDatabase, startCluster, TOGETHER_WITH_FURTHER, type Cluster } from '../harness/cluster.ts';
import { eventually } from '../harness/eventually.ts';
import { foundGroup, type TestGroup } from '../harness/group.ts';
import { HttpClient, type HttpAnswer, type Json } from '../harness/http.ts';
import { openedMeeting } from '../harness/requests.ts';
import { answerWith, startWebhookReceiver } from '../harness/webhook-receiver.ts';
import type { ReceivedWebhook, WebhookReceiver } from '../harness/webhook-receiver.ts';

const SECOND_MS = 1_000;
/** A day, and longer than a test runs. */
const DAY_MS = 86_400_000 + 120_000;

/** The wait after the first failure, with jitter. */
const FIRST_WAIT_MS = 6 * SECOND_MS;
/** As many endpoints as there may be for one association, or for all. */
const ENDPOINTS_MAX = 20;
/** As many replaced secrets as may sign at the same time. */
const OLD_SECRETS_MAX = 5;
/** As many replays to an endpoint as may begin within a day. */
const REPLAYS_MAX = 24;
/** While so many deliveries of an endpoint wait, a replay waits too. */
const WAITING_MAX = 1_000;
/** Owners are told twice a minute. */
const TOLD_MAX_MS = 60_000;

/** Whose endpoints a test is about. */
const KINDS = ['an association', 'all associations'] as const;
type Kind = (typeof KINDS)[number];

describe('webhooks', function () {
  this.timeout(120_000);
  let cluster: Cluster;
  let operator: HttpClient;
  let group: TestGroup;
  let receiver: WebhookReceiver;
  /** What the test clock was last moved to; it has gone on since then. */
  let latest_ms = 0;

  before(async () => {
    cluster = await startCluster({
      processes: TOGETHER_WITH_FURTHER,
      settings: { WEBHOOK_PRIVATE_ADDRESSES: 'allow', CLOCK: 'test' },
    });
    const scope = 'webhooks:manage clock:advance wallets:fund';
    operator = new HttpClient(cluster.origin, cluster.token('operator', { scope }));
    group = await foundGroup(cluster, { size: 2, pins: false });
  });
  after(() => cluster.stop());

  beforeEach(async () => {
    receiver = await startWebhookReceiver();
  });
  afterEach(async () => {
    for (const { http, path } of KINDS.map((kind) => placeOf(kind))) {
      const { data } = await http.ok(path);
      for (const { id } of data as { id: string }[]) await http.send('DELETE', `${path}/${id}`);
    }
    await receiver.stop();
  });

  const president = () => group.members[0]!.http;
  const placeOf = (kind: Kind, { members, path } = group) =>
    kind === 'an association'
      ? { http: members[0]!.http, path: `${path}/webhooks` }
      : { http: operator, path: '/webhooks' };

  /** An endpoint as its owner sees it. */
  interface Endpoint {
    http: HttpClient;
    path: string;
    secret: string;
  }

  async function add(kind: Kind, body: Json = {}): Promise<Endpoint> {
    const { http, path } = placeOf(kind);
    const { id, secret } = await http.created(path, { url: receiver.url, types: ['association.closed'], ...body });
    return { http, path: `${path}/${id as string}`, secret: secret as string };
  }

  const send = ({ http, path }: Endpoint, what: string, body: Json = {}): Promise<HttpAnswer> =>
    http.send('POST', `${path}/${what}`, body);

  /** Moves the test clock, and does what is due by then. */
  async function advance(by_ms: number): Promise<void> {
    latest_ms = Math.max(Date.now(), latest_ms) + by_ms;
    const moved = await operator.send('POST', '//clock', { advance_to: new Date(latest_ms).toISOString() });
    expect(moved.status, moved.text).to.equal(200);
  }

  /** Waits until the receiver has got as many. */
  const received = (count: number): Promise<ReceivedWebhook[]> =>
    eventually(() => {
      expect(receiver.received).to.have.length(count);
      return receiver.received;
    });

  /** Waits until the newest delivery has this status after an attempt. */
  const newest = ({ http, path }: Endpoint, status: string): Promise<Json> =>
    eventually(async () => {
      const { data } = await http.ok(`${path}/deliveries?limit=1`);
      const [delivery] = data as [Json];
      expect(delivery).to.include({ status });
      expect(delivery.attempts).to.not.be.empty;
      return delivery;
    });

  /** Verifies a request as a receiver does that knows the secret. @returns the event */
  const verified = (secret: string, { headers, body }: ReceivedWebhook): Json =>
    new Webhook(secret).verify(body, headers as Record<string, string>) as Json;

  it('send the events of the association, signed as receivers verify it', async () => {
    const own = await add('an association', { types: ['meeting.scheduled'], description: 'Our accounting' });
    const other = (await foundGroup(cluster, { size: 1, pins: false })).members[0]!;
    await openedMeeting(other);
    const meeting_id = await openedMeeting(group.members[0]!, 'Kitty');
    const [request] = (await received(1)) as [ReceivedWebhook];
    const event = verified(own.secret, request);
    expect(event).to.include({ specversion: '1.0', type: 'meeting.scheduled', subject: group.id });
    expect(event.data).to.include({ meeting_id });
    expect(request.headers).to.include({
      'webhook-id': event.id,
      'content-type': 'application/cloudevents+json; charset=utf-8',
    });
    expect(() => verified(`whsec_${Buffer.alloc(32).toString('base64')}`, request)).to.throw();
    const delivery = await newest(own, 'delivered');
    expect(delivery).to.include({ event_id: event.id, type: 'meeting.scheduled', next_attempt_at: null });
    expect(delivery.attempts).to.have.length(1);
    expect((await own.http.ok(own.path)).description).to.equal('Our accounting');
    expect(JSON.stringify(await own.http.ok(own.path.slice(0, own.path.lastIndexOf('/'))))).to.not.include('whsec_');
  });

  it('send the events of all associations, and of wallets, to an endpoint for all', async () => {
    const all = await add('all associations', { types: ['meeting.scheduled', 'transfer.posted'] });
    const other = (await foundGroup(cluster, { size: 1, pins: false })).members[0]!;
    await openedMeeting(other);
    await openedMeeting(group.members[0]!);
    await operator.created(`/wallets/${other.wallet_id}/deposits`, { amount: 5, reference: 'in' });
    const events = (await received(3)).map((request) => verified(all.secret, request));
    const about = events.map(({ type, subject }) => `${String(type)} ${String(subject)}`);
    const subject = other.path.split('/').at(-1)!;
    expect(about).to.have.members([
      `meeting.scheduled ${subject}`,
      `meeting.scheduled ${group.id}`,
      'transfer.posted undefined',
    ]);
  });

  it('are sent again until they are accepted, with the same id', async () => {
    const own = await add('an association', { types: ['meeting.scheduled'] });
    receiver.answer = answerWith(503);
    await openedMeeting(group.members[0]!);
    await received(1);
    const { next_attempt_at } = await newest(own, 'pending');
    expect(next_attempt_at).to.be.a('string');
    receiver.answer = answerWith(200);
    await advance(FIRST_WAIT_MS);
    const [first, second] = (await received(2)) as [ReceivedWebhook, ReceivedWebhook];
    expect(second.body).to.equal(first.body);
    expect(second.headers['webhook-id']).to.equal(first.headers['webhook-id']);
    verified(own.secret, second);
    const { attempts } = await newest(own, 'delivered');
    expect((attempts as Json[]).map(({ status_code }) => status_code)).to.deep.equal([503, 200]);
  });

  for (const kind of KINDS) {
    it(`of ${kind}: a replaced secret signs too for 24 hours, and at most five do`, async () => {
      const endpoint = await add(kind);
      const secrets = [endpoint.secret];
      for (let count = 0; count < OLD_SECRETS_MAX; count += 1) {
        const { status, body } = await send(endpoint, 'rotate-secret');
        expect(status).to.equal(200);
        secrets.push(body.secret as string);
      }
      const refused = await send(endpoint, 'rotate-secret');
      expect([refused.status, refused.body.code]).to.deep.equal([409, 'webhook_secret_limit']);
      await send(endpoint, 'ping');
      const [request] = (await received(1)) as [ReceivedWebhook];
      for (const secret of secrets) verified(secret, request);
      await advance(DAY_MS);
      await send(endpoint, 'ping');
      const [, later] = (await received(2)) as [ReceivedWebhook, ReceivedWebhook];
      verified(secrets.pop()!, later);
      for (const secret of secrets) expect(() => verified(secret, later)).to.throw();
      expect((await send(endpoint, 'rotate-secret')).status).to.equal(200);
    });

    it(`of ${kind}: nothing is sent to one that is disabled, and a replay brings what it has missed`, async () => {
      const endpoint = await add(kind, { types: ['meeting.scheduled'] });
      const { body: ping } = await send(endpoint, 'ping');
      await received(1);
      await newest(endpoint, 'delivered');
      const before = new Date(Math.max(Date.now(), latest_ms) - SECOND_MS).toISOString();
      const disabled = await endpoint.http.send('PATCH', endpoint.path, { status: 'disabled' });
      expect(disabled.body).to.include({ status: 'disabled', disabled_reason: 'request' });
      for (const what of ['ping', `deliveries/${ping.id as string}/retry`]) {
        const refused = await send(endpoint, what);
        expect([what, refused.status, refused.body.code]).to.deep.equal([what, 409, 'webhook_disabled']);
      }
      expect((await send(endpoint, 'replay', { from: before })).body.code).to.equal('webhook_disabled');
      const meeting_id = await openedMeeting(group.members[0]!);
      await eventHandled(meeting_id);
      await endpoint.http.send('PATCH', endpoint.path, { status: 'enabled' });
      expect((await send(endpoint, 'replay', { from: before })).status).to.equal(200);
      const [, missed] = (await received(2)) as [ReceivedWebhook, ReceivedWebhook];
      expect(verified(endpoint.secret, missed).data).to.include({ meeting_id });
    });

    it(`of ${kind}: a second replay has to wait for the first`, async () => {
      const endpoint = await add(kind);
      await inDatabase(cluster, 'webhooks', (client) =>
        client.query(WAITING, [endpoint.path.split('/').at(-1), WAITING_MAX]),
      );
      const from = '2026-01-01T00:00:00Z';
      const first = await send(endpoint, 'replay', { from, to: '2026-02-01T00:00:00+01:00' });
      expect(first.status, first.text).to.equal(200);
      expect(first.body).to.include({ from: '2026-01-01T00:00:00.000Z', to: '2026-01-31T23:00:00.000Z' });
      const second = await send(endpoint, 'replay', { from });
      expect([second.status, second.body.code]).to.deep.equal([409, 'webhook_replay_running']);
    });

    it(`of ${kind}: there are at most 24 replays to one in 24 hours`, async () => {
      const endpoint = await add(kind);
      await inDatabase(cluster, 'webhooks', (client) =>
        client.query(ENDED_REPLAYS, [endpoint.path.split('/').at(-1), REPLAYS_MAX, new Date(latest_ms || Date.now())]),
      );
      const body = { from: '2026-01-01T00:00:00Z' };
      const refused = await send(endpoint, 'replay', body);
      expect([refused.status, refused.body.code]).to.deep.equal([409, 'webhook_replay_limit']);
      await advance(DAY_MS);
      expect((await send(endpoint, 'replay', body)).status).to.equal(200);
    });

    it(`of ${kind}: there are at most 20`, async () => {
      const { http, path } = placeOf(kind, await foundGroup(cluster, { size: 1, pins: false }));
      const create = () => http.post(path, { url: receiver.url, types: ['association.closed'] });
      const answers = await Promise.all(Array.from({ length: ENDPOINTS_MAX + 3 }, create));
      const codes = answers.map(({ status, body }) => body.code ?? status);
      expect(codes.filter((code) => code === 201)).to.have.length(ENDPOINTS_MAX);
      expect(new Set(codes)).to.deep.equal(new Set([201, 'webhook_limit']));
      const { data, next_cursor } = await http.ok(path);
      expect([(data as Json[]).length, next_cursor]).to.deep.equal([ENDPOINTS_MAX, null]);
      const [{ id }] = data as [{ id: string }];
      expect((await http.send('DELETE', `${path}/${id}`)).status).to.equal(204);
      expect((await create()).status).to.equal(201);
    });
  }

  it('tell who has added an endpoint that it was disabled: it is gone, or has failed for five days', async () => {
    const endpoints: Record<string, Endpoint> = {};
    for (const [reason, status] of Object.entries({ gone: 410, failing: 500 })) {
      receiver.answer = answerWith(status);
      endpoints[reason] = await add('an association');
      await send(endpoints[reason], 'ping');
      await newest(endpoints[reason], reason === 'gone' ? 'failed' : 'pending');
    }
    await advance(5 * DAY_MS);
    await send(endpoints.failing!, 'ping');
    for (const [reason, { http, path }] of Object.entries(endpoints)) {
      await eventually(async () => {
        expect(await http.ok(path)).to.include({ status: 'disabled', disabled_reason: reason });
      });
    }
    await eventually(async () => {
      const { data } = await president().ok('/me/notifications/sent');
      const told = (data as Json[]).filter(({ type }) => type === 'webhook_disabled');
      expect(told.map(({ association_id }) => association_id)).to.deep.equal([group.id, group.id]);
    }, TOLD_MAX_MS);
  });

  it('answer a repeated request with the first answer, and make one endpoint and one secret', async () => {
    const { http, path } = placeOf('an association');
    const key = { 'Idempotency-Key': randomUUID() };
    const create = () => http.send('POST', path, { url: receiver.url }, key);
    const first = await create();
    const again = await create();
    expect(again.headers.get('idempotency-replayed')).to.equal('true');
    expect(again.text).to.equal(first.text);
    const rotate = () => http.send('POST', `${path}/${first.body.id as string}/rotate-secret`, {}, rotation);
    const rotation = { 'Idempotency-Key': randomUUID() };
    expect((await rotate()).body.secret).to.not.equal(first.body.secret);
    expect((await rotate()).body).to.deep.equal((await rotate()).body);
    const stored = await inDatabase(cluster, 'webhooks', (client) =>
      client.query<{ answer: unknown }>('SELECT answer FROM idempotency_keys'),
    );
    expect(JSON.stringify(stored.rows)).to.not.include('whsec_');
  });

  /** Waits until the service has stored the event of a meeting. */
  const eventHandled = (meeting_id: string): Promise<void> =>
    eventually(async () => {
      const { rows } = await inDatabase(cluster, 'webhooks', (client) =>
        client.query('SELECT id FROM events WHERE body LIKE $1', [`%${meeting_id}%`]),
      );
      expect(rows).to.have.length(1);
    });
});

/** Deliveries that wait for their next attempt, as after a long outage of the endpoint. */
const WAITING = `
  WITH added AS (
    INSERT INTO events (id, type, occurred_at, received_at, body)
    SELECT gen_random_uuid(), 'meeting.scheduled', now(), now(), '{}' FROM generate_series(1, $2::integer) RETURNING id)
  INSERT INTO deliveries (id, webhook_id, event_id, status, next_attempt_at, created_at)
  SELECT gen_random_uuid(), $1, id, 'pending', '2100-01-01', now() FROM added`;

/** Replays that have begun and ended. */
const ENDED_REPLAYS = `
  INSERT INTO replays (id, webhook_id, from_at, to_at, created_at, done_at)
  SELECT gen_random_uuid(), $1, $3, $3, $3, $3 FROM generate_series(1, $2::integer)`;
