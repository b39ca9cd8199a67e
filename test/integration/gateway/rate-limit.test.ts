import { expect } from 'chai';
import { connect } from 'node:net';
import type { GatewayBench } from '../../harness/gateway.ts';
import { SOME, StubbedGateway } from '../../harness/stubbed-gateway.ts';

describe('gateway: rate limits', () => {
  let gateway: StubbedGateway;
  let bench: GatewayBench;

  before(async () => {
    gateway = await StubbedGateway.start({ RATE_LIMIT: '5', TRUSTED_PROXIES: '127.0.0.1, 10.0.0.0/8' });
    ({ bench } = gateway);
  });
  after(() => bench.stop());
  afterEach(() => {
    gateway.reset();
  });

  let user = 0;
  /** A token of somebody who has asked nothing yet. */
  const fresh = () => bench.token({ sub: `user-${String((user += 1))}` });
  /** An address from which nobody has asked yet, behind the proxy that the test is. */
  const elsewhere = () => ({ 'X-Forwarded-For': `203.0.113.${String((user += 1))}` });

  it('tell with every answer where the user stands', async () => {
    const token = fresh();
    for (const [index, line] of [
      'GET /associations/my',
      'GET /nothing',
      'PATCH /associations/my',
      `DELETE /associations/${SOME}/members/me`,
      'GET //problems',
    ].entries()) {
      const { headers } = await bench.send(line, { token });
      expect(headers['ratelimit-policy'], line).to.equal('"default";q=5;w=60');
      expect(headers.ratelimit, line).to.match(new RegExp(`^"default";r=${String(4 - index)};t=(59|60)$`));
    }
  });

  it('refuse what is too much, and say how long to wait', async () => {
    const token = fresh();
    for (let left = 4; left >= 0; left -= 1) {
      expect((await bench.send('GET /associations/my', { token })).status).to.equal(200);
    }
    gateway.reset();
    const reply = await bench.send('GET /associations/my', { token });
    expect([reply.status, reply.body.code]).to.deep.equal([429, 'rate_limited']);
    expect(Number(reply.headers['retry-after'])).to.be.within(59, 60);
    expect(reply.headers.ratelimit).to.match(/^"default";r=0;t=(59|60)$/);
    expect(gateway.seen).to.equal(undefined);
    expect((await bench.send('POST /associations', { token, body: '{' })).status).to.equal(429);
    expect((await bench.send('GET /associations/my', { token: fresh() })).status).to.equal(200);
  });

  it('leave out the health and metrics pages', async () => {
    const headers = elsewhere();
    for (let index = 0; index < 10; index += 1) {
      for (const line of ['GET //health/live', 'GET //metrics']) {
        const reply = await bench.send(line, { token: false, headers });
        expect(reply.status).to.equal(200);
        expect(reply.headers).to.not.have.any.keys('ratelimit', 'ratelimit-policy');
      }
    }
    expect((await bench.send('GET /keys/pin', { token: false, headers })).headers.ratelimit).to.contain('r=4');
  });

  it('count whoever has no valid token by the address, which ends in 429 in place of 401', async () => {
    const headers = elsewhere();
    const forged = bench.token({ sub: 'awa' }, 'another secret');
    const statuses: number[] = [];
    for (const token of [false, forged, bench.token({ exp: 1 }), forged, false, forged, false] as const) {
      statuses.push((await bench.send('GET /associations/my', { token, headers })).status);
    }
    expect(statuses).to.deep.equal([401, 401, 401, 401, 401, 429, 429]);
    expect((await bench.send('GET /keys/pin', { token: false, headers })).status).to.equal(429);
    expect((await bench.send('GET /associations/my', { token: fresh(), headers })).status).to.equal(200);
    expect((await bench.send('GET /keys/pin', { token: false, headers: elsewhere() })).status).to.equal(200);
  });

  it('count a user wherever he asks from', async () => {
    const token = fresh();
    for (const left of ['r=4', 'r=3', 'r=2']) {
      const { headers } = await bench.send('GET /keys/pin', { token, headers: elsewhere() });
      expect(headers.ratelimit).to.contain(left);
    }
  });

  it('count an unreadable request for its address', async () => {
    const text = await new Promise<string>((resolve, reject) => {
      const socket = connect(bench.port, '127.0.0.1', () => socket.end('GARBAGE\r\n\r\n'));
      socket.on('error', reject).on('data', (chunk: Buffer) => {
        resolve(chunk.toString());
      });
    });
    expect(text).to.match(/RateLimit: "default";r=\d;t=\d+/);
  });

  it('do not exist when they are off', async () => {
    const unlimited = await StubbedGateway.start();
    for (const line of ['GET /associations/my', 'GET /nothing']) {
      const { headers } = await unlimited.bench.send(line);
      expect(headers).to.not.have.any.keys('ratelimit', 'ratelimit-policy');
    }
    await unlimited.bench.stop();
  });

  it('believe X-Forwarded-For of the configured proxies alone', async () => {
    const direct = await StubbedGateway.start({ RATE_LIMIT: '2', TRUSTED_PROXIES: '10.0.0.0/8' });
    const statuses: number[] = [];
    for (let index = 0; index < 3; index += 1) {
      const headers = elsewhere();
      statuses.push((await direct.bench.send('GET /keys/pin', { token: false, headers })).status);
    }
    expect(statuses).to.deep.equal([200, 200, 429]);
    await direct.bench.stop();
  });
});
