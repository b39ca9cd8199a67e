import { expect } from 'chai';
import type { GatewayBench } from '../../harness/gateway.ts';
import { NEW, StubbedGateway } from '../../harness/stubbed-gateway.ts';

describe('gateway: refuses', () => {
  let gateway: StubbedGateway;
  let bench: GatewayBench;

  before(async () => {
    gateway = await StubbedGateway.start();
    ({ bench } = gateway);
  });
  after(() => bench.stop());
  afterEach(() => {
    gateway.reset();
  });

  it('a call without a token, before anything else', async () => {
    const reply = await bench.send('POST /associations', { token: false, body: '{' });
    expect(reply.status).to.equal(401);
    expect(reply.body).to.include({ code: 'token_missing', type: '/problems/token_missing', status: 401 });
    expect(reply.headers['www-authenticate']).to.equal('Bearer realm="association-service"');
    expect(gateway.seen).to.equal(undefined);
  });

  it('a bad token and an old one, saying so as RFC 6750 does', async () => {
    const bad = await bench.send('GET /associations/my', { token: bench.token({}, 'another secret') });
    expect([bad.status, bad.body.code]).to.deep.equal([401, 'token_invalid']);
    expect(bad.headers['www-authenticate']).to.contain('error="invalid_token"');
    const old = await bench.send('GET /associations/my', { token: bench.token({ exp: 1 }) });
    expect([old.status, old.body.code]).to.deep.equal([401, 'token_expired']);
  });

  it('nobody the PIN keys', async () => {
    expect((await bench.send('GET /keys/pin', { token: false })).status).to.equal(200);
  });

  it('paths that are not there, with a token or without', async () => {
    for (const line of ['GET /nothing', 'GET //health', 'GET //favicon.ico', 'GET /Associations/my']) {
      const reply = await bench.send(line, { token: false });
      expect([line, reply.status, reply.body.code]).to.deep.equal([line, 404, 'not_found']);
      expect(reply.headers['content-type']).to.contain('application/problem+json');
    }
  });

  it('paths that are not well encoded, as there is nothing by that name', async () => {
    for (const line of ['GET /associations/%', 'GET /associations/%E0%A4%A', 'PUT /associations/%ff/members']) {
      const reply = await bench.send(line);
      expect([line, reply.status, reply.body.code]).to.deep.equal([line, 404, 'not_found']);
    }
  });

  it('ids that break the rules of a path, as there is nothing by that name', async () => {
    const reply = await bench.send(`POST /invitations/${'x'.repeat(257)}/accept`);
    expect([reply.status, reply.body.code]).to.deep.equal([404, 'not_found']);
  });

  it('other methods, naming those that there are', async () => {
    const reply = await bench.send('PATCH /associations/my');
    expect([reply.status, reply.body.code]).to.deep.equal([405, 'method_not_allowed']);
    expect(reply.headers.allow?.split(', ')).to.have.members(['GET', 'HEAD']);
  });

  it('OPTIONS that is no preflight, which moleculer-web would take for the request itself', async () => {
    const headers = { 'Access-Control-Request-Method': 'POST' };
    const reply = await bench.send('OPTIONS /associations', { headers });
    expect(reply.status).to.equal(405);
    for (const [path, allowed] of [
      ['/associations', ['GET', 'HEAD', 'POST']],
      ['/associations/my', ['GET', 'HEAD']],
      ['/me/pin', ['PUT']],
      ['//health/live', ['GET', 'HEAD']],
    ] as const) {
      for (const asked of [headers, {}, { ...headers, 'Access-Control-Request-Method': 'PUT' }]) {
        const { status, headers: got } = await bench.send(`OPTIONS ${path}`, { headers: asked });
        expect([path, status, got.allow?.split(', ').toSorted()]).to.deep.equal([path, 405, allowed]);
      }
    }
    expect(gateway.seen).to.equal(undefined);
  });

  it('bodies of another type', async () => {
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/json; charset=latin1', '']) {
      const reply = await bench.send('POST /associations', { body: NEW, headers: { 'Content-Type': type } });
      expect([type, reply.status, reply.body.code]).to.deep.equal([type, 415, 'unsupported_media_type']);
    }
    const headers = { 'Content-Type': 'Application/JSON;charset="UTF-8"' };
    expect((await bench.send('POST /associations', { body: NEW, headers })).status).to.equal(201);
    const zipped = await bench.send('POST /associations', { body: NEW, headers: { 'Content-Encoding': 'gzip' } });
    expect(zipped.status).to.equal(415);
  });

  it('malformed bodies', async () => {
    for (const body of ['{', '[]', '7', 'null', '""', '{"name":}', ' ', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d])]) {
      const reply = await bench.send('POST /associations', { body });
      expect([String(body), reply.status, reply.body.code]).to.deep.equal([String(body), 400, 'malformed_json']);
    }
  });

  it('bodies nested beyond reason', async () => {
    for (const depth of [40, 30_000]) {
      const body = `{"a":${'['.repeat(depth)}${']'.repeat(depth)}}`;
      const reply = await bench.send('POST /associations', { body });
      expect([depth, reply.status, reply.body.code]).to.deep.equal([depth, 400, 'malformed_json']);
    }
  });

  it('bodies over 64 KiB, with or without a length, and lives on', async () => {
    const fits = JSON.stringify({ ...NEW, description: '' });
    const exactly = JSON.stringify({ ...NEW, description: 'x'.repeat(65_536 - fits.length) });
    expect((await bench.send('POST /associations', { body: exactly })).status).to.equal(422);
    for (const chunked of [false, true]) {
      for (const size of [65_537, 3_000_000]) {
        const reply = await bench.send('POST /associations', { body: Buffer.alloc(size, 'x'), chunked });
        expect([size, reply.status, reply.body.code]).to.deep.equal([size, 413, 'body_too_large']);
        expect(reply.headers.connection).to.equal('close');
      }
    }
  });

  it('a body over 64 KiB that never ends', async () => {
    const reply = await new Promise<{ status: number }>((resolve, reject) => {
      const sending = { body: '', chunked: true };
      const outgoing = bench.open('POST /associations', sending, resolve, reject);
      outgoing.write(Buffer.alloc(70_000, 'x'));
    });
    expect(reply.status).to.equal(413);
  });

  it('amounts that a double would round', async () => {
    for (const text of ['10000.0000000000000001', '9007199254740993', '1e400', '1e-400']) {
      const body = JSON.stringify(NEW).replace('10000', text);
      const reply = await bench.send('POST /associations', { body });
      expect([text, reply.status, reply.body.code]).to.deep.equal([text, 422, 'amount_precision']);
      expect(reply.body.errors).to.have.nested.property('[0].pointer', '/contribution_amount');
    }
    const body = JSON.stringify(NEW).replace('10000', '1e3');
    expect((await bench.send('POST /associations', { body })).status).to.equal(201);
    expect(gateway.seen?.input).to.have.nested.property('body.contribution_amount', 1_000);
  });
});
