import { expect } from 'chai';
import { answerLocation, answerStatus } from '../../../lib/service/implement.ts';
import type { GatewayBench } from '../../harness/gateway.ts';
import { NEW, SOME, StubbedGateway } from '../../harness/stubbed-gateway.ts';

describe('gateway: answers', () => {
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

  it('with the status of the contract and the JSON of the action', async () => {
    const reply = await bench.send('GET /associations/my');
    expect(reply.status).to.equal(200);
    expect(reply.body).to.deep.equal({ from: 'membership.my_associations' });
    expect(reply.headers).to.include({
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    });
    expect(reply.headers).to.not.have.property('x-powered-by');
  });

  it('with 201 and the Location that the action names', async () => {
    gateway.answer = (ctx) => {
      answerLocation(ctx, `/associations/${SOME}`);
    };
    const reply = await bench.send('POST /associations', { body: NEW });
    expect(reply.status).to.equal(201);
    expect(reply.headers.location).to.equal(`/association-service/api/v1/associations/${SOME}`);
  });

  it('with the status that the action chose', async () => {
    gateway.answer = (ctx) => {
      answerStatus(ctx, 202);
    };
    expect((await bench.send('POST /associations', { body: NEW })).status).to.equal(202);
  });

  it('with 204 and nothing', async () => {
    const reply = await bench.send(`DELETE /associations/${SOME}/members/me`);
    expect(reply).to.include({ status: 204, text: '' });
    expect(reply.headers).to.not.have.any.keys('content-type', 'content-length');
  });

  it('with a link to the next page that keeps the filters', async () => {
    gateway.answer = () => ({ next_cursor: 'abc+/' });
    const reply = await bench.send(`GET /associations/${SOME}/members?role=member&limit=1&cursor=old`);
    expect(reply.headers.link).to.equal(
      `</association-service/api/v1/associations/${SOME}/members?role=member&limit=1&cursor=abc%2B%2F>; rel="next"`,
    );
    gateway.answer = () => ({ next_cursor: null });
    expect((await bench.send(`GET /associations/${SOME}/members`)).headers).to.not.have.property('link');
  });

  it('HEAD as it does GET, without the body', async () => {
    const reply = await bench.send('HEAD /associations/my');
    expect(reply).to.include({ status: 200, text: '' });
  });

  it('calls the action with path, query and body, and with who asks', async () => {
    await bench.send(`GET /associations/${SOME.toUpperCase()}/members?role=President&limit=7`, {
      token: bench.token({ sub: 'ngozi', name: 'Ngozi', scope: 'pins:reset  wallets:fund' }),
    });
    expect(gateway.seen?.input).to.deep.equal({
      path: { association_id: SOME },
      query: { limit: 7, role: 'president' },
      body: {},
    });
    expect(gateway.seen?.ctx.meta.caller).to.deep.equal({
      user_id: 'ngozi',
      name: 'Ngozi',
      scopes: ['pins:reset', 'wallets:fund'],
    });
  });

  it('takes no body for one whose fields are all optional', async () => {
    expect((await bench.send(`POST /associations/${SOME}/join`)).status).to.equal(201);
    expect(gateway.seen?.input).to.deep.include({ body: { hands: 1 } });
  });

  it('decodes the path, and trims one slash at its end', async () => {
    await bench.send('POST /invitations/a%2Fb%20c/accept/');
    expect(gateway.seen?.input).to.deep.include({ path: { code: 'a/b c' } });
  });
});
