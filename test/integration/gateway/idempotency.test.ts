import { expect } from 'chai';
import type { GatewayBench } from '../../harness/gateway.ts';
import { NEW, SOME, StubbedGateway } from '../../harness/stubbed-gateway.ts';

describe('gateway: the Idempotency-Key', () => {
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

  const keyed = (line: string, key: string, body?: unknown) =>
    bench.send(line, { headers: { 'Idempotency-Key': key }, ...(body === undefined ? {} : { body }) });

  it('goes with every write to the service, with method and path', async () => {
    const association = `/associations/${SOME}`;
    for (const [method, path, body] of [
      ['POST', '/associations', NEW],
      ['POST', `${association}/join`, undefined],
      ['PATCH', `${association}/members/me`, { hands: 2 }],
      ['DELETE', `${association}/members/me`, undefined],
      ['PUT', '/me/pin', { pin: 'x' }],
    ] as const) {
      await keyed(`${method} ${path}`, 'k-1', body);
      expect(gateway.seen?.ctx.meta.idempotency, path).to.deep.equal({
        key: 'k-1',
        method,
        path: `/association-service/api/v1${path}`,
      });
      gateway.reset();
    }
  });

  it('stands for the same path however that is spelt', async () => {
    const lower = `/associations/${SOME.replace('0192f0c0', '0192f0cc')}/join`;
    const spellings = [lower, lower.toUpperCase().replace('ASSOCIATIONS', 'associations').replace('JOIN', 'join')];
    for (const path of [...spellings, `${lower}/`, `${lower}?x=1`, lower.replace('0192', '%30192')]) {
      await keyed(`POST ${path}`, 'k');
      // A query is refused by the action, which does not get to see it.
      if (!path.includes('?')) {
        expect(gateway.seen?.ctx.meta.idempotency?.path, path).to.equal(`/association-service/api/v1${lower}`);
      }
    }
    await keyed('POST /invitations/a%2Fb%20c/accept', 'k');
    expect(gateway.seen?.ctx.meta.idempotency?.path).to.match(/\/invitations\/a%2Fb%20c\/accept$/);
  });

  it('is ignored where nothing changes', async () => {
    expect((await keyed('GET /associations/my', 'k')).status).to.equal(200);
    expect(gateway.seen?.ctx.meta).to.not.have.property('idempotency');
    expect((await keyed('GET /associations/my', 'not a key')).status).to.equal(200);
  });

  it('is absent where there is none', async () => {
    await bench.send('POST /associations', { body: NEW });
    expect(gateway.seen?.ctx.meta).to.not.have.property('idempotency');
  });

  it('has 1 to 255 visible ASCII characters, and is one', async () => {
    for (const key of ['~', '!'.repeat(255)]) {
      expect((await keyed('POST /associations', key, NEW)).status, key).to.equal(201);
    }
    gateway.reset();
    for (const key of ['', 'a b', 'a'.repeat(256), 'caf\u00e9', 'a\tb', ['a', 'b'], ['a', 'a']]) {
      const reply = await keyed('POST /associations', key as string, NEW);
      expect([key, reply.status, reply.body.code]).to.deep.equal([key, 422, 'validation_failed']);
      expect(reply.body.errors).to.have.nested.property('[0].pointer', 'Idempotency-Key');
      expect(gateway.seen).to.equal(undefined);
    }
  });

  it('is judged after who asks and the body as such', async () => {
    const headers = { 'Idempotency-Key': '' };
    expect((await bench.send('POST /associations', { headers, body: NEW, token: false })).status).to.equal(401);
    expect((await bench.send('POST /associations', { headers, body: '{' })).status).to.equal(400);
  });

  it('is answered with the first answer again, which says so', async () => {
    gateway.answer = ({ meta }) => {
      meta.$statusCode = 201;
      meta.$responseHeaders = { Location: '/x', 'Idempotency-Replayed': 'true' };
    };
    const reply = await keyed('POST /associations', 'k', NEW);
    expect(reply.status).to.equal(201);
    expect(reply.headers).to.include({ location: '/x', 'idempotency-replayed': 'true' });
  });
});
