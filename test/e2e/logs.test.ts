import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { expect } from 'chai';
import { developmentSecret, type DevelopmentSecrets } from '../../lib/config/secrets.ts';
import { API_BASE } from '../../lib/contracts/api.ts';
import { FURTHER_SECRETS, inDatabase, startCluster, type Cluster } from '../harness/cluster.ts';
import { eventually } from '../harness/eventually.ts';
import { HttpClient, type Json } from '../harness/http.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const PIN = '730519';
const PRODUCTION = { NODE_ENV: 'production', LOG_LEVEL: 'info', DRAIN_DELAY_S: '0' };

describe('the log in production', function () {
  this.timeout(120_000);
  let cluster: Cluster;
  let ada: HttpClient;
  let association: string;

  before(async () => {
    cluster = await startCluster({
      processes: [['gateway'], ['membership', 'contribution', 'governance'], ['treasury'], ['webhooks', 'reminders']],
      settings: PRODUCTION,
    });
    ada = new HttpClient(cluster.origin, cluster.token('ada', { name: 'Ada Unlogged' }), PIN);
    association = (await ada.created('/associations', group('Unlogged Sisters'))).id as string;
  });
  after(() => cluster.stop());

  const group = (name: string) => ({
    name,
    type: 'tontine',
    currency: 'XAF',
    contribution_amount: 1_000,
    contribution_frequency: 'monthly',
  });

  /** Returns all lines that the processes have written, parsed as JSON. */
  function lines(): Json[] {
    const written = cluster.members().flatMap((member) => member.output().split('\n'));
    return written.filter((line) => line !== '').map((line) => JSON.parse(line) as Json);
  }

  /** Waits for the access line of a request. */
  async function access(request_id: string): Promise<Json> {
    let found: Json | undefined;
    await eventually(() => {
      found = lines().find((line) => line.msg === 'request' && line.request_id === request_id);
      expect(found, request_id).to.not.equal(undefined);
    });
    return found!;
  }

  const inTreasury = (sql: string) => inDatabase(cluster, 'treasury', (client) => client.query(sql));

  it("has a line for a failed action in any service, with the client's ids, the error and its stack", async () => {
    const headers = { 'X-Request-Id': 'fault-1', traceparent: `00-${TRACE}-00f067aa0ba902b7-01` };
    await inTreasury('ALTER TABLE wallets RENAME TO mislaid');
    const answer = await ada.send('POST', '/associations', group('Not founded'), headers);
    await inTreasury('ALTER TABLE mislaid RENAME TO wallets');
    expect(answer.status).to.be.within(500, 503);
    const ids = { request_id: 'fault-1', trace_id: TRACE };
    const failed = lines().find((line) => line.msg === 'action failed' && line.request_id === 'fault-1');
    expect(failed).to.include({ ...ids, level: 'error', service: 'treasury', action: 'treasury.open_wallet' });
    expect(failed).to.include({ message: 'relation "wallets" does not exist', code: '42P01' });
    expect(failed?.stack).to.match(/\n +at .*services.treasury/);
    expect(failed?.node_id).to.be.a('string');
    expect(new Date(failed?.time as string).getTime()).to.be.closeTo(Date.now(), 60_000);
    expect(await access('fault-1')).to.include({
      ...ids,
      status: answer.status,
      code: answer.body.code,
      user_id: 'ada',
    });
  });

  it('has an access line for each request, with its route and without its path', async () => {
    const send = async (name: string, method: string, path: string, body?: unknown, as = ada) => {
      await as.send(method, path, body, { 'X-Request-Id': name });
      const { level, service, duration_ms, bytes, address, ...line } = await access(name);
      expect({ level, service, address }).to.deep.equal({ level: 'info', service: 'gateway', address: '127.0.0.1' });
      expect(duration_ms).to.be.a('number').above(0);
      expect(bytes).to.be.a('number').above(100);
      return line;
    };
    const stranger = new HttpClient(cluster.origin, 'not.a.token');
    const one = `${API_BASE}/associations/:association_id`;
    for (const [name, method, path, expected, as] of [
      ['a-200', 'GET', `/associations/${association}`, { method: 'GET', route: one, status: 200, user_id: 'ada' }],
      ['a-422', 'GET', `/associations/${association}?unread=queried`, { status: 422, code: 'validation_failed' }],
      ['a-401', 'GET', `/associations/${association}`, { route: one, status: 401, code: 'token_invalid' }, stranger],
      ['a-404', 'GET', '/nothing/of-value', { route: 'none', status: 404, code: 'not_found' }],
      ['a-405', 'PUT', '/associations', { status: 405, code: 'method_not_allowed' }],
      [
        'a-inv',
        'POST',
        '/invitations/c0de-unlogged/accept',
        { route: `${API_BASE}/invitations/:code/accept`, status: 404 },
      ],
      ['a-live', 'GET', '//health/live', { route: '/health/live', status: 200 }],
    ] as const) {
      expect(await send(name, method, path, undefined, as), name).to.include(expected);
    }
    expect(await send('a-pin', 'PUT', '/me/pin', { pin: await ada.sealedPin() })).to.include({ status: 204 });
  });

  it('has no user id that is an e-mail address, a phone number or a name', async () => {
    for (const [index, user] of ['ada@example.org', '+237 699 000 111', 'Ada Unlogged', '237699000111'].entries()) {
      const id = `personal-${String(index)}`;
      const personal = new HttpClient(cluster.origin, cluster.token(user));
      await personal.send('GET', '/associations/my', undefined, { 'X-Request-Id': id });
      expect((await access(id)).user_id).to.match(/^sha256:[0-9a-f]{32}$/);
    }
  });

  it('has the ids of a request in the lines of all that it causes, in each service and subscription', async () => {
    const headers = { 'X-Request-Id': 'caused-1', traceparent: `00-${TRACE}-00f067aa0ba902b7-01` };
    await inDatabase(cluster, 'membership', (client) => client.query('ALTER TABLE cycle_bindings RENAME TO mislaid'));
    await ada.send('POST', `/associations/${association}/cycles`, { starts_on: '2030-01-31', order: 'join' }, headers);
    await inDatabase(cluster, 'membership', (client) => client.query('ALTER TABLE mislaid RENAME TO cycle_bindings'));
    await access('caused-1');
    const written = lines().filter((line) => line.request_id === 'caused-1');
    expect(new Set(written.map(({ service }) => service))).to.include.keys('gateway', 'contribution', 'membership');
    expect(new Set(written.map(({ trace_id }) => trace_id))).to.deep.equal(new Set([TRACE]));
  });

  it('has an access line for input that is not HTTP, and for a request that the client aborted', async () => {
    const { port } = new URL(cluster.origin);
    const noise = connect(Number(port), '127.0.0.1').resume();
    noise.end('NOISE\r\n\r\n');
    await once(noise, 'close');
    const quitter = connect(Number(port), '127.0.0.1');
    const head = `POST ${API_BASE}/associations HTTP/1.1\r\nHost: h\r\nX-Request-Id: gone-1\r\n`;
    quitter.write(`${head}Authorization: Bearer ${ada.token}\r\nContent-Length: 9\r\n\r\n{`);
    await eventually(async () => expect((await ada.send('GET', '//metrics')).text).to.match(/active_requests 2$/m));
    quitter.destroy();
    const aborted = await access('gone-1');
    expect(aborted).to.include({ aborted: true, user_id: 'ada', route: `${API_BASE}/associations` });
    expect(aborted).to.not.have.property('status');
    const unreadable = lines().find((line) => line.code === 'malformed_request');
    expect(unreadable).to.include({ msg: 'request', route: 'none', status: 400, address: '127.0.0.1' });
  });

  it('contains no secrets, and writes the lines of Moleculer as JSON', async () => {
    const sealed = await ada.sealedPin();
    await ada.send('PUT', '/me/pin', { pin: sealed });
    await ada.send('PUT', '/me/pin', { pin: sealed.slice(4) });
    const url = 'https://1.1.1.1/unlogged-hook';
    const endpoint = { url, types: ['association.closed'], description: 'Unlogged accounting' };
    const webhook = await ada.created(`/associations/${association}/webhooks`, endpoint);
    const { email_confirmed } = (await ada.send('PATCH', '/me/notifications', { email: 'ada@unlogged.example.com' }))
      .body;
    expect(email_confirmed).to.equal(false);
    // Without SMTP_URL, the code is skipped, which is logged.
    await eventually(() => expect(lines().some(({ msg }) => String(msg).includes('was skipped'))).to.equal(true));
    await cluster.running('treasury').end('SIGKILL');
    await ada.send('GET', '/wallets');
    // Moleculer logs that the node has disconnected.
    await eventually(() =>
      expect(lines().some((line) => line.module === 'registry' && line.level === 'warn')).to.equal(true),
    );
    const secrets = JSON.parse(await readFile(join(cluster.dataDir, 'secrets.json'), 'utf8')) as Json;
    const { databasePasswords, ...others } = secrets;
    const written = cluster
      .members()
      .map((member) => member.output())
      .join('');
    const never = [...Object.values(others), ...Object.values(databasePasswords as Json)] as string[];
    never.push(PIN, sealed, sealed.slice(4, 40), ada.token, ada.token.split('.')[2]!, 'not.a.token', 'c0de-unlogged');
    const further = FURTHER_SECRETS.map((name) => developmentSecret(secrets as unknown as DevelopmentSecrets, name));
    never.push(webhook.secret as string, 'unlogged', 'ada@', ...further);
    never.push('Unlogged', 'Not founded', 'queried', 'of-value', `/associations/${association}`);
    for (const value of never) expect(written.includes(value), value).to.equal(false);
    for (const line of lines()) expect(line).to.include.keys('level', 'time', 'msg');
  });
});
