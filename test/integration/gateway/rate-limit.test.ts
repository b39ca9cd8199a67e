import { expect } from 'chai';
import { once } from 'node:events';
import { connect } from 'node:net';
import { SOME, useGateway } from '../../harness/gateway.ts';

let last = 0;
/** Makes headers of a client with a new address, for which this test acts as the proxy. */
const newAddress = () => ({ 'X-Forwarded-For': `203.0.113.${String((last += 1))}` });

describe('gateway: rate limits', () => {
  const gateway = useGateway({ env: { RATE_LIMIT: '5', TRUSTED_PROXIES: '127.0.0.1, 10.0.0.0/8' } });
  /** Makes a token of a new user. */
  const fresh = () => gateway.token({ sub: `user-${String((last += 1))}` });

  it('report with every answer the requests left to the user, regardless of the address', async () => {
    const token = fresh();
    for (const [index, line] of [
      'GET /associations/my',
      'GET /nothing',
      'PUT /wallets/my',
      'GET //problems',
      `DELETE /associations/${SOME}/members/me`,
    ].entries()) {
      const { headers } = await gateway.send(line, { token, headers: newAddress() });
      expect(headers['ratelimit-policy'], line).to.equal('"default";q=5;w=60');
      expect(headers.ratelimit, line).to.match(new RegExp(`^"default";r=${String(4 - index)};t=(59|60)$`));
    }
  });

  it('refuse further requests before any other check, and report how long to wait', async () => {
    const token = fresh();
    for (let left = 4; left >= 0; left -= 1) {
      expect(await gateway.outcome('GET /associations/my', { token })).to.equal('200');
    }
    gateway.reset();
    const reply = await gateway.send('GET /associations/my', { token });
    expect([reply.status, reply.body.code]).to.deep.equal([429, 'rate_limited']);
    expect(Number(reply.headers['retry-after'])).to.be.within(59, 60);
    expect(reply.headers.ratelimit).to.match(/^"default";r=0;t=(59|60)$/);
    expect(gateway.seen).to.equal(undefined);
    expect(await gateway.outcome('POST /associations', { token, body: '{' })).to.equal('429 rate_limited');
    expect(await gateway.outcome('GET /associations/my', { token: fresh() })).to.equal('200');
  });

  it('do not apply to the health and metrics pages', async () => {
    const headers = newAddress();
    for (const line of ['GET //health/live', 'GET //metrics']) {
      const reply = await gateway.send(line, { token: false, headers });
      expect(reply.headers, line).to.not.have.any.keys('ratelimit', 'ratelimit-policy');
    }
    expect((await gateway.send('GET /keys/pin', { token: false, headers })).headers.ratelimit).to.contain('r=4');
  });

  it('count requests without a valid token per address, and then answer 429 instead of 401', async () => {
    const headers = newAddress();
    const forged = gateway.token({ sub: 'awa' }, 'another secret');
    const statuses: number[] = [];
    for (const token of [false, forged, gateway.token({ exp: 1 }), forged, false, forged, false] as const) {
      statuses.push((await gateway.send('GET /associations/my', { token, headers })).status);
    }
    expect(statuses).to.deep.equal([401, 401, 401, 401, 401, 429, 429]);
    expect(await gateway.outcome('GET /keys/pin', { token: false, headers })).to.equal('429 rate_limited');
    expect(await gateway.outcome('GET /associations/my', { token: fresh(), headers })).to.equal('200');
    expect(await gateway.outcome('GET /keys/pin', { token: false, headers: newAddress() })).to.equal('200');
  });

  it('count a user separately from an address with the same text', async () => {
    const headers = newAddress();
    const token = gateway.token({ sub: headers['X-Forwarded-For'] });
    for (let left = 5; left > 0; left -= 1) await gateway.send('GET /keys/pin', { token: false, headers });
    expect(await gateway.outcome('GET /keys/pin', { token: false, headers })).to.equal('429 rate_limited');
    expect(await gateway.outcome('GET /associations/my', { token, headers })).to.equal('200');
  });

  it('count malformed requests per address', async () => {
    const socket = connect(gateway.port, '127.0.0.1', () => socket.end('GARBAGE\r\n\r\n'));
    const [chunk] = (await once(socket, 'data')) as [Buffer];
    expect(chunk.toString()).to.match(/RateLimit: "default";r=\d;t=\d+/);
  });
});

describe('gateway: rate limits without RATE_LIMIT', () => {
  const gateway = useGateway();

  it('are off and have no headers', async () => {
    const { headers } = await gateway.send('GET /associations/my');
    expect(headers).to.not.have.any.keys('ratelimit', 'ratelimit-policy');
  });
});

describe('gateway: rate limits of a client that is not a trusted proxy', () => {
  const gateway = useGateway({ env: { RATE_LIMIT: '2', TRUSTED_PROXIES: '10.0.0.0/8' } });

  it('ignore X-Forwarded-For', async () => {
    const outcomes: string[] = [];
    for (let index = 0; index < 3; index += 1) {
      outcomes.push(await gateway.outcome('GET /keys/pin', { token: false, headers: newAddress() }));
    }
    expect(outcomes).to.deep.equal(['200', '200', '429 rate_limited']);
  });
});
