import { expect } from 'chai';
import { startProbeServer, type Health } from '../../../lib/telemetry/probe-server.ts';
import { freePort } from '../../harness/free-port.ts';

describe('the server for operators', () => {
  const READY: Health = { status: 'ready', services: { treasury: 'up' } };
  const stops: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const stop of stops.splice(0)) await stop();
  });

  async function start(port: number | undefined, health = () => Promise.resolve(READY)) {
    const server = await startProbeServer({ host: '127.0.0.1', port, health });
    stops.push(() => server.close());
    return server;
  }

  async function get(url: string, init?: RequestInit) {
    const answer = await fetch(url, init);
    return { status: answer.status, type: answer.headers.get('content-type'), text: await answer.text() };
  }

  it('answers whether the process serves', async () => {
    let status: Health['status'] = 'starting';
    const { url } = await start(0, () => Promise.resolve({ status, services: { treasury: 'down' } }));
    for (const [next, code] of [
      ['starting', 503],
      ['ready', 200],
      ['degraded', 200],
      ['down', 503],
      ['stopping', 503],
    ] as const) {
      status = next;
      for (const path of ['/health', '/health/ready']) {
        const { status: answered, text } = await get(url + path);
        expect([path, answered, JSON.parse(text)]).to.deep.equal([
          path,
          code,
          { status: next, services: { treasury: 'down' } },
        ]);
      }
      expect((await get(`${url}/health/live`)).status).to.equal(200);
    }
  });

  it('has the metrics of the process, in the text format of Prometheus', async () => {
    const { url } = await start(0);
    const { status, type, text } = await get(`${url}/metrics`);
    expect([status, type]).to.deep.equal([200, 'text/plain; version=0.0.4; charset=utf-8']);
    expect(text)
      .to.match(/^process_cpu_seconds_total \d/m)
      .and.match(/^nodejs_eventloop_lag_seconds \d/m);
  });

  it('has the same metrics as JSON', async () => {
    const { url } = await start(0);
    const { status, type, text } = await get(`${url}/metrics.json`);
    expect([status, type]).to.deep.equal([200, 'application/json']);
    const metrics = JSON.parse(text) as { name: string; values: { value: number }[] }[];
    const limit = metrics.find(({ name }) => name === 'nodejs_heap_size_limit_bytes');
    expect(limit?.values[0]?.value).to.be.above(process.memoryUsage().heapUsed);
  });

  it('refuses other paths and methods', async () => {
    const { url } = await start(0);
    expect((await get(`${url}/other`)).status).to.equal(404);
    expect((await get(`${url}/metrics`, { method: 'POST' })).status).to.equal(405);
    const head = await get(`${url}/health/live`, { method: 'HEAD' });
    expect([head.status, head.text]).to.deep.equal([200, '']);
  });

  it('takes another port only if none was set', async () => {
    const [first, second] = [await start(undefined), await start(undefined)];
    expect(second.port).to.be.above(first.port);
    const taken = await freePort();
    await start(taken);
    const error: unknown = await start(taken).catch((refusal: unknown) => refusal);
    expect((error as Error).name).to.equal('StartupError');
    expect((error as Error).message).to.equal(
      `Port ${String(taken)} on 127.0.0.1 is in use: stop what uses it, or set METRICS_PORT to another.`,
    );
  });
});
