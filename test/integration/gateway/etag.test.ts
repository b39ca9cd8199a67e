import { expect } from 'chai';
import type { GatewayBench } from '../../harness/gateway.ts';
import { NEW, SOME, StubbedGateway } from '../../harness/stubbed-gateway.ts';

describe('gateway: tags of single resources', () => {
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

  const ONE = `GET /associations/${SOME}`;
  const tagOf = async (line = ONE) => (await bench.send(line)).headers.etag ?? '';

  it('name the state that was answered, strongly', async () => {
    const reply = await bench.send(ONE);
    expect(reply.headers.etag).to.match(/^"[\x21\x23-\x7e]+"$/);
    expect(reply.headers['cache-control']).to.equal('private, no-cache');
    expect(await tagOf()).to.equal(reply.headers.etag);
    gateway.answer = () => ({ changed: true });
    expect(await tagOf()).to.not.equal(reply.headers.etag);
  });

  it('answer 304, without a body, to who has this state, as often as it is so', async () => {
    const tag = await tagOf();
    // Fetch adds `Cache-Control: no-cache` to a condition of its caller's.
    for (const more of [{}, { 'Cache-Control': 'no-cache' }]) {
      for (const header of [tag, `W/${tag}`, `"a", ${tag},W/"b"`, '*']) {
        const reply = await bench.send(ONE, { headers: { 'If-None-Match': header, ...more } });
        expect([header, reply.status, reply.text]).to.deep.equal([header, 304, '']);
        expect(reply.headers).to.include({ etag: tag, 'cache-control': 'private, no-cache' });
        expect(reply.headers).to.include.keys('x-request-id', 'traceparent', 'date');
        expect(reply.headers).to.not.have.any.keys('content-type', 'content-length');
      }
    }
  });

  it('answer the state to who has another', async () => {
    const tag = await tagOf();
    for (const header of ['"other"', `${tag}x`, 'x', '']) {
      const reply = await bench.send(ONE, { headers: { 'If-None-Match': header } });
      expect([header, reply.status]).to.deep.equal([header, 200]);
    }
  });

  it('hold for HEAD as for GET', async () => {
    const tag = await tagOf();
    const head = await bench.send(ONE.replace('GET', 'HEAD'));
    expect(head).to.include({ status: 200, text: '' });
    expect(head.headers.etag).to.equal(tag);
    const unchanged = await bench.send(ONE.replace('GET', 'HEAD'), { headers: { 'If-None-Match': tag } });
    expect(unchanged.status).to.equal(304);
  });

  it('keep the headers that the action gives', async () => {
    gateway.answer = ({ meta }) => {
      meta.$responseHeaders = { Vary: 'Accept' };
    };
    const headers = { 'If-None-Match': await tagOf() };
    const reply = await bench.send(ONE, { headers });
    expect([reply.status, reply.headers.vary]).to.deep.equal([304, 'Accept']);
  });

  it('are not on lists, writes and refusals, which no cache keeps', async () => {
    const list = await bench.send('GET /associations/my', { headers: { 'If-None-Match': '*' } });
    const made = await bench.send('POST /associations', { body: NEW, headers: { 'If-None-Match': '*' } });
    const refused = await bench.send('GET /nothing', { headers: { 'If-None-Match': '*' } });
    expect([list.status, made.status, refused.status]).to.deep.equal([200, 201, 404]);
    for (const { headers } of [list, made, refused]) {
      expect(headers).to.not.have.property('etag');
      expect(headers['cache-control']).to.equal('no-store');
    }
  });
});
