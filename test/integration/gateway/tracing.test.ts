import { expect } from 'chai';
import type { GatewayBench } from '../../harness/gateway.ts';
import { StubbedGateway } from '../../harness/stubbed-gateway.ts';

describe('gateway: request ids and traces', () => {
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

  it('echoes a sane one and hands it on', async () => {
    const reply = await bench.send('GET /associations/my', { headers: { 'X-Request-Id': 'abc-123' } });
    expect(reply.headers['x-request-id']).to.equal('abc-123');
    expect(gateway.seen?.ctx.requestID).to.equal('abc-123');
  });

  it('makes one where there is none, or none that could be echoed', async () => {
    for (const headers of [{}, { 'X-Request-Id': 'a b' }, { 'X-Request-Id': 'x'.repeat(129) }]) {
      const reply = await bench.send('GET /nothing', { headers });
      expect(reply.headers['x-request-id']).to.match(/^[0-9a-f-]{36}$/);
      expect(reply.body.request_id).to.equal(reply.headers['x-request-id']);
    }
  });

  it('ignores X-Correlation-Id, which nobody promised', async () => {
    const reply = await bench.send('GET /associations/my', { headers: { 'X-Correlation-Id': 'abc' } });
    expect(reply.headers['x-request-id']).to.not.equal('abc');
  });

  const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
  const PARENT = `00-${TRACE}-00f067aa0ba902b7-01`;

  it("goes on with the client's trace in a span of its own, keeping the flags, and says so", async () => {
    const headers = { traceparent: PARENT, tracestate: 'rojo=00f067aa0ba902b7,congo=t61' };
    const reply = await bench.send('GET /associations/my', { headers });
    const { traceparent, tracestate } = gateway.seen?.ctx.meta ?? {};
    expect(traceparent).to.match(new RegExp(`^00-${TRACE}-[0-9a-f]{16}-01$`));
    expect(traceparent).to.not.equal(PARENT);
    expect(tracestate).to.equal(headers.tracestate);
    expect(reply.headers).to.include({ traceparent, tracestate });
    await bench.send('GET /associations/my', { headers });
    expect(gateway.seen?.ctx.meta.traceparent).to.not.equal(traceparent);
  });

  it('begins a trace where there is none, or none that is well-formed, and drops the state with it', async () => {
    for (const headers of [{}, { traceparent: '00-0-0-01', tracestate: 'a=b' }]) {
      const reply = await bench.send('GET /associations/my', { headers });
      expect(gateway.seen?.ctx.meta.traceparent).to.match(/^00-[0-9a-f]{32}-[0-9a-f]{16}-00$/);
      expect(gateway.seen?.ctx.meta).to.not.have.property('tracestate');
      expect(reply.headers.traceparent).to.equal(gateway.seen?.ctx.meta.traceparent);
      expect(reply.headers).to.not.have.property('tracestate');
    }
  });

  it('is told with every answer, of pages and refusals too', async () => {
    for (const line of ['GET //health/live', 'GET /nothing', 'POST /associations', 'PATCH /associations/my']) {
      const reply = await bench.send(line, { token: false, headers: { traceparent: PARENT } });
      expect(reply.headers.traceparent, line).to.contain(TRACE);
      expect(reply.headers['x-request-id'], line).to.match(/^[0-9a-f-]{36}$/);
    }
  });

  it('is in the log line of a fault, with the request', async () => {
    const lines: unknown[][] = [];
    const { logger } = bench.broker.getLocalService('membership');
    logger.error = (...line: unknown[]) => lines.push(line);
    gateway.fails(() => new Error('a fault'));
    await bench.send('GET /associations/my', { headers: { traceparent: PARENT, 'X-Request-Id': 'r-1' } });
    expect(lines).to.have.length(1);
    expect(lines[0]?.[1]).to.include({ trace_id: TRACE, request_id: 'r-1', message: 'a fault' });
  });
});
