import { expect } from 'chai';
import { SOME, useGateway } from '../../harness/gateway.ts';

const ORIGIN = 'https://app.example';
const PREFLIGHT = { Origin: ORIGIN, 'Access-Control-Request-Method': 'POST' };
const words = (header: unknown) => String(header).split(', ').toSorted();

describe('gateway: CORS for any origin', () => {
  const gateway = useGateway();

  it('answers preflights with the methods and headers of the path, without a token and without a call to a service', async () => {
    for (const [path, methods] of [
      ['/associations', 'GET, HEAD, POST'],
      ['/associations/', 'GET, HEAD, POST'],
      [`/associations/${SOME}/members/me`, 'DELETE, GET, HEAD, PATCH'],
      ['/me/pin', 'GET, HEAD, PUT'],
      ['//openapi.json', 'GET, HEAD'],
      ['/nowhere', 'DELETE, GET, HEAD, PATCH, POST, PUT'],
      ['/associations/%', 'DELETE, GET, HEAD, PATCH, POST, PUT'],
    ] as const) {
      const { status, text, headers } = await gateway.send(`OPTIONS ${path}`, { headers: PREFLIGHT, token: false });
      expect([path, status, text]).to.deep.equal([path, 204, '']);
      expect(words(headers['access-control-allow-methods']).join(', ')).to.equal(methods);
      expect(headers).to.include({ 'access-control-allow-origin': '*', 'access-control-max-age': '600' });
      expect(headers['x-request-id']).to.match(/^[0-9a-f-]{36}$/);
      const sendable = words(headers['access-control-allow-headers']?.toLowerCase());
      expect(sendable).to.include.members([
        'authorization',
        'content-type',
        'idempotency-key',
        'if-match',
        'if-none-match',
      ]);
    }
    expect(gateway.seen).to.equal(undefined);
  });
});

describe('gateway: CORS for any origin, under a rate limit', () => {
  const gateway = useGateway({ env: { RATE_LIMIT: '3' } });

  it('lets pages read every answer, including refusals, and does not count preflights', async () => {
    for (let time = 0; time < 5; time += 1) {
      const { status, headers } = await gateway.send('OPTIONS /associations', { headers: PREFLIGHT, token: false });
      expect(status).to.equal(204);
      expect(headers).not.to.have.property('ratelimit');
    }
    for (const [line, token, status] of [
      [`GET /associations/${SOME}`, undefined, 200],
      ['GET //docs', false, 200],
      ['GET /associations/my', false, 401],
      ['GET /nowhere', false, 404],
      ['GET /nowhere', false, 429],
    ] as const) {
      const sending = { headers: { Origin: ORIGIN }, ...(token === undefined ? {} : { token }) };
      const reply = await gateway.send(line, sending);
      expect([line, reply.status]).to.deep.equal([line, status]);
      expect(reply.headers['access-control-allow-origin']).to.equal('*');
      expect(reply.headers).not.to.have.property('access-control-allow-credentials');
      const readable = words(reply.headers['access-control-expose-headers']);
      expect(readable).to.include.members(['ETag', 'Location', 'Link', 'Retry-After', 'X-Request-Id']);
    }
  });
});

describe('gateway: CORS for listed origins', () => {
  const gateway = useGateway({ env: { CORS_ORIGINS: `${ORIGIN}, http://localhost:5173` } });

  it('allows calls only from the listed origins, and varies by origin for caches', async () => {
    const allowed = await gateway.send('OPTIONS /associations', { headers: PREFLIGHT, token: false });
    expect(allowed.status).to.equal(204);
    expect(allowed.headers).to.include({ 'access-control-allow-origin': ORIGIN, vary: 'Origin' });
    const page = await gateway.send('GET //docs', { headers: { Origin: ORIGIN }, token: false });
    expect(page.headers['access-control-allow-origin']).to.equal(ORIGIN);
    expect(words(page.headers.vary)).to.deep.equal(['Accept-Encoding', 'Origin']);

    const other = { ...PREFLIGHT, Origin: 'https://app.example.evil' };
    const refused = await gateway.send('OPTIONS /associations', { headers: other, token: false });
    expect(refused.status).to.equal(405);
    const read = await gateway.send(`GET /associations/${SOME}`, { headers: other });
    for (const { headers } of [refused, read]) {
      expect(headers).not.to.have.property('access-control-allow-origin');
      expect(words(headers.vary)).to.include('Origin');
    }
  });
});

describe('gateway: CORS with CORS_ORIGINS=off', () => {
  const gateway = useGateway({ env: { CORS_ORIGINS: 'off' } });

  it('refuses preflights and sends no CORS headers', async () => {
    const { status, headers } = await gateway.send('OPTIONS /associations', { headers: PREFLIGHT });
    expect(status).to.equal(405);
    expect(Object.keys(headers).filter((name) => name.startsWith('access-control-'))).to.deep.equal([]);
    expect(words(headers.vary)).not.to.include('Origin');
  });
});
