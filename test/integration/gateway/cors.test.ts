import { expect } from 'chai';
import { SOME, StubbedGateway } from '../../harness/stubbed-gateway.ts';

const ORIGIN = 'https://app.example';
const PREFLIGHT = { Origin: ORIGIN, 'Access-Control-Request-Method': 'POST' };

const words = (header: unknown) => String(header).split(', ').toSorted();

describe('gateway: pages in browsers', () => {
  const running: StubbedGateway[] = [];
  const start = async (env: Record<string, string> = {}) => {
    const gateway = await StubbedGateway.start(env);
    running.push(gateway);
    return gateway;
  };
  afterEach(async () => {
    for (const { bench } of running.splice(0)) await bench.stop();
  });

  it('are told what they may send, without a token and without a call', async () => {
    const gateway = await start();
    for (const [path, methods] of [
      ['/associations', 'GET, HEAD, POST'],
      ['/associations/', 'GET, HEAD, POST'],
      [`/associations/${SOME}/members/me`, 'DELETE, GET, HEAD, PATCH'],
      ['/me/pin', 'PUT'],
      ['//openapi.json', 'GET, HEAD'],
      ['/nowhere', 'DELETE, GET, HEAD, PATCH, POST, PUT'],
      ['/associations/%', 'DELETE, GET, HEAD, PATCH, POST, PUT'],
    ] as const) {
      const { status, headers, text } = await gateway.bench.send(`OPTIONS ${path}`, {
        headers: PREFLIGHT,
        token: false,
      });
      expect([path, status, text]).to.deep.equal([path, 204, '']);
      expect(words(headers['access-control-allow-methods']).join(', ')).to.equal(methods);
      expect(headers['access-control-allow-origin']).to.equal('*');
      expect(headers['access-control-max-age']).to.equal('600');
      expect(headers['x-request-id']).to.match(/^[0-9a-f-]{36}$/);
      const sendable = words(headers['access-control-allow-headers']?.toLowerCase());
      expect(sendable).to.include.members(['authorization', 'content-type', 'idempotency-key', 'if-none-match']);
    }
    expect(gateway.seen).to.equal(undefined);
  });

  it('may read every answer, refusals too, and those headers that are for clients', async () => {
    const { bench } = await start({ RATE_LIMIT: '3' });
    const replies = [
      await bench.send(`GET /associations/${SOME}`, { headers: { Origin: ORIGIN } }),
      await bench.send('GET //docs', { headers: { Origin: ORIGIN }, token: false }),
      await bench.send('GET /associations/my', { headers: { Origin: ORIGIN }, token: false }),
      await bench.send('GET /nowhere', { headers: { Origin: ORIGIN }, token: false }),
      await bench.send('GET /nowhere', { headers: { Origin: ORIGIN }, token: false }),
    ];
    expect(replies.map(({ status }) => status)).to.deep.equal([200, 200, 401, 404, 429]);
    for (const { headers } of replies) {
      expect(headers['access-control-allow-origin']).to.equal('*');
      expect(headers).not.to.have.property('access-control-allow-credentials');
      const readable = words(headers['access-control-expose-headers']);
      expect(readable).to.include.members(['ETag', 'Location', 'Link', 'Retry-After', 'X-Request-Id']);
    }
  });

  it('are not counted for asking what they may send', async () => {
    const { bench } = await start({ RATE_LIMIT: '1' });
    for (let time = 0; time < 3; time += 1) {
      const { status, headers } = await bench.send('OPTIONS /associations', { headers: PREFLIGHT, token: false });
      expect(status).to.equal(204);
      expect(headers).not.to.have.property('ratelimit');
    }
    expect((await bench.send('GET //docs', { token: false })).status).to.equal(200);
  });

  it('of listed origins alone may call, where there is a list', async () => {
    const { bench } = await start({ CORS_ORIGINS: `${ORIGIN}, http://localhost:5173` });
    const allowed = await bench.send('OPTIONS /associations', { headers: PREFLIGHT, token: false });
    expect([allowed.status, allowed.headers['access-control-allow-origin']]).to.deep.equal([204, ORIGIN]);
    expect(allowed.headers.vary).to.equal('Origin');
    const page = await bench.send('GET //docs', { headers: { Origin: ORIGIN }, token: false });
    expect(page.headers['access-control-allow-origin']).to.equal(ORIGIN);
    expect(words(page.headers.vary)).to.deep.equal(['Accept-Encoding', 'Origin']);

    const other = { ...PREFLIGHT, Origin: 'https://app.example.evil' };
    const refused = await bench.send('OPTIONS /associations', { headers: other, token: false });
    expect(refused.status).to.equal(405);
    const read = await bench.send(`GET /associations/${SOME}`, { headers: other });
    for (const { headers } of [refused, read]) {
      expect(headers).not.to.have.property('access-control-allow-origin');
      expect(words(headers.vary)).to.include('Origin');
    }
  });

  it('of other origins may not call, where it is off', async () => {
    const { bench } = await start({ CORS_ORIGINS: 'off' });
    const { status, headers } = await bench.send('OPTIONS /associations', { headers: PREFLIGHT });
    expect(status).to.equal(405);
    expect(Object.keys(headers).filter((name) => name.startsWith('access-control-'))).to.deep.equal([]);
    expect(words(headers.vary)).not.to.include('Origin');
  });
});
