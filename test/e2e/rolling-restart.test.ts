import { once } from 'node:events';
import { Agent, get } from 'node:http';
import { connect, createServer, type AddressInfo, type Server } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { startCluster, type Cluster, type Member } from '../harness/cluster.ts';
import { freePort } from '../harness/free-port.ts';

const PROBE_INTERVAL_MS = 200;
const PROBE_FAILURES = 2;
/** Much longer than the probes need, even on a machine that is busy with other tests. */
const DRAIN_DELAY_S = 3;
const CLIENTS = 4;
const PAUSE_MS = 50;

interface Backend {
  port: number;
  process: Member;
  failures: number;
}

describe('gateways behind a balancer', function () {
  this.timeout(180_000);
  let cluster: Cluster;
  let balancer: Server;
  const backends: Backend[] = [];
  let probing = true;

  before(async () => {
    cluster = await startCluster({
      processes: [['gateway'], ['membership', 'contribution', 'treasury', 'governance']],
      settings: { DRAIN_DELAY_S: String(DRAIN_DELAY_S) },
    });
    backends.push({ port: Number(new URL(cluster.origin).port), process: cluster.running('gateway'), failures: 0 });
    const port = await freePort();
    backends.push({ port, process: await startGateway(port), failures: 0 });
    for (const backend of backends) void probe(backend);
    balancer = balance().listen(0, '127.0.0.1');
    await once(balancer, 'listening');
  });
  after(async () => {
    probing = false;
    balancer.close();
    await cluster.stop();
  });

  const startGateway = (port: number) => cluster.start(['gateway'], { settings: { PORT: String(port) } });

  /** Probes a backend: some consecutive failures mark it as not ready, one success as ready. */
  async function probe(backend: Backend): Promise<void> {
    for (; probing; await sleep(PROBE_INTERVAL_MS)) {
      const signal = AbortSignal.timeout(5_000);
      const answer = await fetch(`http://127.0.0.1:${String(backend.port)}/health/ready`, { signal }).catch(
        () => undefined,
      );
      await answer?.body?.cancel();
      backend.failures = answer?.ok === true ? 0 : backend.failures + 1;
    }
  }

  /** Passes each connection to the next ready backend, and resets it if the backend does. */
  function balance(): Server {
    let turn = 0;
    return createServer((client) => {
      const ready = backends.filter(({ failures }) => failures < PROBE_FAILURES);
      const { port } = ready[turn++ % ready.length] ?? backends[0]!;
      const upstream = connect(port, '127.0.0.1');
      client.pipe(upstream).pipe(client);
      client.on('error', () => upstream.destroy());
      upstream.on('error', () => client.resetAndDestroy());
    });
  }

  /** Sends a request through the balancer. @returns the failure, if any */
  function ask(agent: Agent): Promise<string | undefined> {
    const { port } = balancer.address() as AddressInfo;
    return new Promise((resolve) => {
      get({ host: '127.0.0.1', port, path: '/association-service/api/v1/keys/pin', agent }, (answer) => {
        answer.resume().on('end', () => resolve(answer.statusCode === 200 ? undefined : String(answer.statusCode)));
        answer.on('error', (error) => resolve(error.message));
      }).on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    });
  }

  it('can be restarted in turn without any refused, reset or failed request', async () => {
    const agents = [new Agent({ keepAlive: true }), new Agent({ keepAlive: false })];
    const failed: string[] = [];
    let answered = 0;
    let loading = true;
    const load = agents.flatMap((agent) =>
      Array.from({ length: CLIENTS }, async () => {
        for (; loading; await sleep(PAUSE_MS)) {
          const failure = await ask(agent);
          if (failure === undefined) answered += 1;
          else failed.push(failure);
        }
      }),
    );
    const codes: (number | null)[] = [];
    for (const backend of backends) {
      codes.push(await backend.process.end());
      backend.process = await startGateway(backend.port);
      // The balancer uses this gateway again before the next one stops.
      while (backend.failures > 0) await sleep(PROBE_INTERVAL_MS);
    }
    loading = false;
    await Promise.all(load);
    for (const agent of agents) agent.destroy();
    expect(codes).to.deep.equal([0, 0]);
    expect(answered).to.be.above(100);
    expect(failed, `of ${String(answered)}`).to.deep.equal([]);
  });
});
