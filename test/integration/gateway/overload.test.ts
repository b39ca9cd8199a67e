import { once } from 'node:events';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { API_BASE } from '../../../lib/contracts/api.ts';
import { eventually } from '../../harness/eventually.ts';
import { NEW, SOME, useGateway } from '../../harness/gateway.ts';

const CALLS_MAX = 3;
const SILENCE_MS = 200;
/** Longer than the gateway takes to answer. */
const SETTLED_MS = 200;
/** Much more than the buffers of a connection. */
const LARGE_BYTES = 32 * 1024 * 1024;

describe('gateway: overload', () => {
  const gateway = useGateway({ env: { CALLS_MAX: String(CALLS_MAX) } });
  const read = () => gateway.send('GET /associations/my');

  /** Makes all calls wait. @returns a function that answers them */
  function holdCalls(): { calls: () => number; release: () => void } {
    const { promise, resolve } = Promise.withResolvers<object>();
    let calls = 0;
    gateway.answer = () => {
      calls += 1;
      return promise;
    };
    return { calls: () => calls, release: () => resolve({}) };
  }

  it('refuses further requests with 503 and Retry-After while it waits for as many calls as it may', async () => {
    const { calls, release } = holdCalls();
    const accepted = Array.from({ length: CALLS_MAX }, read);
    await eventually(() => expect(calls()).to.equal(CALLS_MAX));
    for (const line of ['GET /associations/my', 'POST /associations', 'GET /associations/x/ledger/export']) {
      const refused = await gateway.send(line, line.startsWith('POST') ? { body: NEW } : {});
      expect([refused.status, refused.body.code, refused.headers['retry-after']]).to.deep.equal([
        503,
        'overloaded',
        '1',
      ]);
    }
    expect(calls(), 'refused requests reach no service').to.equal(CALLS_MAX);
    expect(await gateway.outcome('GET //health/live'), 'pages without a call').to.equal('200');
    expect(await gateway.outcome('GET /associations/my', { token: 'x' }), 'no token is verified').to.equal(
      '503 overloaded',
    );
    release();
    expect((await Promise.all(accepted)).map(({ status }) => status)).to.deep.equal([200, 200, 200]);
    gateway.reset();
    expect((await read()).status).to.equal(200);
  });

  it('counts no request whose body has not arrived', async () => {
    const slow = Array.from({ length: CALLS_MAX + 1 }, () => {
      const request = gateway.open('POST /associations', { body: NEW, chunked: true });
      request.write('{');
      return request;
    });
    // Their heads have arrived long before this.
    await delay(100);
    expect((await read()).status).to.equal(200);
    for (const request of slow) request.destroy();
  });

  it('closes the connection of a client that does not read its answer', async () => {
    const { server } = gateway.service<{ server: Server }>();
    // The gateway's own 30 s are too long for a test.
    const own_ms = server.timeout;
    server.timeout = SILENCE_MS;
    expect(own_ms).to.equal(30_000);
    gateway.answer = () => ({ text: 'x'.repeat(LARGE_BYTES) });
    const client = connect(gateway.port, '127.0.0.1').pause();
    const authorization = `Bearer ${gateway.token()}`;
    client.write(`GET ${API_BASE}/associations/my HTTP/1.1\r\nHost: a\r\nAuthorization: ${authorization}\r\n\r\n`);
    try {
      const [{ socket }] = (await once(server, 'request')) as [IncomingMessage];
      await once(socket, 'close');
      expect(client.bytesRead).to.be.below(LARGE_BYTES);
    } finally {
      server.timeout = own_ms;
      client.destroy();
    }
  });

  it('counts failed calls no longer', async () => {
    gateway.fails(() => new Error('a fault'));
    for (let call = 0; call <= CALLS_MAX; call += 1) expect((await read()).status).to.equal(500);
    gateway.reset();
    expect((await read()).status).to.equal(200);
  });
});

describe('gateway: overload by writes', () => {
  const gateway = useGateway({ env: { CALLS_MAX: '5' } });
  const write = () => gateway.send('POST /associations', { body: NEW });

  it('leaves a fifth of the calls to reads', async () => {
    const { promise, resolve } = Promise.withResolvers<object>();
    let writes = 0;
    gateway.answer = ({ action }) => {
      if (!action.endsWith('create_association')) return {};
      writes += 1;
      return promise;
    };
    const accepted = Array.from({ length: 4 }, write);
    await eventually(() => expect(writes).to.equal(4));
    expect((await write()).body.code).to.equal('overloaded');
    expect(await gateway.outcome('GET /associations/my')).to.equal('200');
    expect((await gateway.send('HEAD /associations/my')).status).to.equal(200);
    resolve({});
    for (const { status } of await Promise.all(accepted)) expect(status).to.equal(201);
  });
});

describe('gateway: clients that are gone', () => {
  const gateway = useGateway();
  const EXPORT = `/associations/${SOME}/ledger/export`;
  const AT_A_TIME = 8;
  const LARGE = { text: 'x'.repeat(LARGE_BYTES) };

  /** Sends requests on one connection, without waiting for answers. */
  function send(...paths: string[]): Socket {
    const client = connect(gateway.port, '127.0.0.1').on('error', () => undefined);
    const authorization = `Bearer ${gateway.token()}`;
    for (const path of paths) {
      client.write(`GET ${API_BASE}${path} HTTP/1.1\r\nHost: a\r\nAuthorization: ${authorization}\r\n\r\n`);
    }
    return client;
  }

  /** Lets `GET /associations/my` wait. @returns how often it was called, and a function that answers it */
  function hold(answers: Record<string, object> = {}) {
    const { promise, resolve } = Promise.withResolvers<object>();
    let calls = 0;
    gateway.answer = ({ action }) => {
      if (!action.endsWith('my_associations')) return answers[action] ?? {};
      calls += 1;
      return promise;
    };
    return { calls: () => calls, release: resolve };
  }

  const outcome = () => gateway.outcome('GET /associations');

  it('take no memory if they leave before the answer', async () => {
    const { calls, release } = hold();
    const { server } = gateway.service<{ server: Server }>();
    const closed: Promise<unknown>[] = [];
    const onRequest = (_: unknown, response: ServerResponse) => closed.push(once(response, 'close'));
    server.on('request', onRequest);
    const clients = [1, 2, 3].map(() => send('/associations/my'));
    await eventually(() => expect(calls()).to.equal(3));
    server.off('request', onRequest);
    for (const client of clients) client.destroy();
    expect(await Promise.all(closed)).to.have.length(3);
    release(LARGE);
    await delay(SETTLED_MS);
    expect(await outcome()).to.equal('200');
  });

  it('take no memory if they leave before the turn of the answer', async () => {
    const { calls, release } = hold({ 'treasury.my_wallets': LARGE });
    const clients = [1, 2].map(() => send('/associations/my', '/wallets/my'));
    await eventually(async () => expect([calls(), await outcome()]).to.deep.equal([2, '503 overloaded']));
    for (const client of clients) client.destroy();
    await eventually(async () => expect(await outcome()).to.equal('200'));
    release({});
  });

  it('take no place among the long answers if they leave before their turn', async () => {
    const { calls, release } = hold({ 'treasury.ledger_export': { transfers: [], done: true, seq: 0 } });
    const clients = Array.from({ length: AT_A_TIME }, () => send('/associations/my', EXPORT));
    const exports = () => gateway.outcome(`GET ${EXPORT}`);
    await eventually(async () => expect([calls(), await exports()]).to.deep.equal([AT_A_TIME, '429 rate_limited']));
    for (const client of clients) client.destroy();
    await eventually(async () => expect(await exports()).to.equal('200'));
    release({});
  });
});

describe('gateway: exports', () => {
  const gateway = useGateway({ env: { RATE_LIMIT: '100' } });
  const EXPORT = `GET /associations/${SOME}/ledger/export`;
  const AT_A_TIME = 8;
  const LINES = 500;

  it('of one user are eight at a time', async () => {
    const { promise, resolve } = Promise.withResolvers<object>();
    let calls = 0;
    gateway.answer = () => {
      calls += 1;
      return promise;
    };
    const made = Array.from({ length: AT_A_TIME }, () => gateway.outcome(EXPORT));
    await eventually(() => expect(calls).to.equal(AT_A_TIME));
    const { status, body, headers } = await gateway.send(EXPORT);
    expect([status, body.code, headers['retry-after']]).to.deep.equal([429, 'rate_limited', '5']);
    const other = gateway.outcome(EXPORT, { token: gateway.token({ sub: 'another user' }) });
    resolve({ transfers: [], done: true, seq: 0 });
    expect([...(await Promise.all(made)), await other]).to.deep.equal(
      Array.from({ length: AT_A_TIME + 1 }, () => '200'),
    );
  });

  it('count for the rate limit by their lines', async () => {
    const token = gateway.token({ sub: 'a reader' });
    const transfers = Array.from({ length: LINES }, (_, index) => ({ seq: index + 1 }));
    gateway.answer = () => ({ transfers, done: true, seq: LINES });
    expect(await gateway.outcome(EXPORT, { token })).to.equal('200');
    const { headers } = await gateway.send('GET /associations/my', { token });
    expect(headers.ratelimit).to.match(/"default";r=88;/);
  });
});
