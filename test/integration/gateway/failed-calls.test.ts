import { expect } from 'chai';
import { Errors } from 'moleculer';
import { problem } from '../../../lib/errors/problem.ts';
import type { GatewayBench } from '../../harness/gateway.ts';
import { NEW, SOME, StubbedGateway } from '../../harness/stubbed-gateway.ts';

describe('gateway: tells a failed call', () => {
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

  it('as the refusal that it is, with its extras, but never over the standard members', async () => {
    gateway.fails(() => problem('contribution_exceeds_due', { outstanding: 5, status: 200, code: 'fine' }));
    const reply = await bench.send('POST /associations?secret=1', { body: NEW });
    expect(reply.status).to.equal(422);
    const again = await bench.send('POST /associations', { body: NEW });
    expect(again.status).to.equal(409);
    expect(again.headers['content-type']).to.equal('application/problem+json');
    expect(again.body).to.include({
      type: '/problems/contribution_exceeds_due',
      status: 409,
      code: 'contribution_exceeds_due',
      outstanding: 5,
      instance: '/association-service/api/v1/associations',
    });
    expect(again.body).to.include.keys('title', 'detail', 'request_id');
  });

  it('with Retry-After where the PIN is locked', async () => {
    gateway.fails(() => problem('pin_locked', { retry_after_s: 900 }));
    const reply = await bench.send('PUT /me/pin', { body: { pin: 'x' } });
    expect(reply.status).to.equal(423);
    expect(reply.headers['retry-after']).to.equal('900');
  });

  it('with the missing scope', async () => {
    gateway.fails(() => problem('insufficient_scope', { required_scopes: ['wallets:fund'] }));
    const reply = await bench.send('POST /wallets/w/deposits', { body: { amount: 1, reference: 'r' } });
    expect(reply.status).to.equal(403);
    expect(reply.headers['www-authenticate']).to.contain('error="insufficient_scope", scope="wallets:fund"');
  });

  it('as unavailable where the service is away', async () => {
    for (const line of [`GET /associations/${SOME}/cycles`, `POST /associations/${SOME}/meetings/${SOME}/settle`]) {
      const reply = await bench.send(line);
      expect([reply.status, reply.body.code]).to.deep.equal([503, 'service_unavailable']);
      expect(reply.headers['retry-after']).to.equal('1');
    }
  });

  it('as unknown where a write took too long, as unavailable where a read did', async () => {
    gateway.answer = () => new Promise(() => undefined);
    const [write, read] = await Promise.all([
      bench.send('POST /associations', { body: NEW }),
      bench.send('GET /associations/my'),
    ]);
    expect([write.status, write.body.code]).to.deep.equal([503, 'outcome_unknown']);
    expect([read.status, read.body.code]).to.deep.equal([503, 'service_unavailable']);
  });

  it('as unknown where the node of a write went away', async () => {
    gateway.fails(() => new Errors.RequestRejectedError({ action: 'a', nodeID: 'n' }));
    expect((await bench.send('POST /associations', { body: NEW })).body.code).to.equal('outcome_unknown');
  });

  it('as our own fault otherwise, showing nothing of it', async () => {
    gateway.fails(() => new Error('SELECT secrets FROM db.internal'));
    const reply = await bench.send('GET /associations/my');
    expect([reply.status, reply.body.code]).to.deep.equal([500, 'internal_error']);
    expect(reply.text).to.not.match(/SELECT|internal\b.*db|at .*\.ts/);
  });
});
