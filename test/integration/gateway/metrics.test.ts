import { expect } from 'chai';
import { eventually } from '../../harness/eventually.ts';
import type { GatewayBench } from '../../harness/gateway.ts';
import { SOME, StubbedGateway } from '../../harness/stubbed-gateway.ts';

describe('gateway: metrics', () => {
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

  const measured = async () => (await bench.send('GET //metrics', { token: false })).text;

  it('are in the text form of Prometheus, for everyone', async () => {
    const reply = await bench.send('GET //metrics', { token: false });
    expect(reply.status).to.equal(200);
    expect(reply.headers['content-type']).to.match(/^text\/plain; version=0\.0\.4; charset=utf-8$/);
    expect(reply.text)
      .to.match(/^process_cpu_seconds_total \d/m)
      .and.match(/^nodejs_eventloop_lag_seconds \d/m);
  });

  it('count requests by method, pattern and status, never by path', async () => {
    await bench.send(`GET /associations/${SOME}`);
    await bench.send(`GET /associations/${SOME}`, { token: false });
    await bench.send('POST /invitations/a-secret-code/accept');
    await bench.send('GET /nothing/at/all');
    await bench.send('PROPFIND /associations');
    const text = await measured();
    const count = (labels: string) => text.split('\n').find((line) => line.includes(`_count{${labels}}`));
    const base = '/association-service/api/v1';
    for (const labels of [
      `method="GET",route="${base}/associations/:association_id",status="200"`,
      `method="GET",route="${base}/associations/:association_id",status="401"`,
      `method="POST",route="${base}/invitations/:code/accept",status="201"`,
      'method="GET",route="none",status="404"',
      'method="other",route="none",status="405"',
    ]) {
      expect(count(labels), labels).to.match(/ 1$/);
    }
    expect(text).to.not.match(new RegExp(`${SOME}|a-secret-code|at/all`));
  });

  it('tell how many requests are in flight, those that went away no more', async () => {
    let finish = (): void => undefined;
    const finished = new Promise<void>((resolve) => (finish = resolve));
    gateway.answer = () => finished;
    const waiting = bench.send('GET /associations/my');
    const leaving = bench.open(
      'GET /associations/my',
      {},
      () => undefined,
      () => undefined,
    );
    leaving.end();
    const inFlight = async () => /^http_requests_in_flight (\d+)$/m.exec(await measured())?.[1];
    await eventually(async () => {
      expect(await inFlight()).to.equal('3');
    });
    leaving.destroy();
    await eventually(async () => {
      expect(await inFlight()).to.equal('2');
    });
    finish();
    expect((await waiting).status).to.equal(200);
    expect(await inFlight()).to.equal('1');
    expect(await measured()).to.contain('/associations/my",status="aborted"} 1');
  });
});
