import { once } from 'node:events';
import { connect, createServer, type AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from './eventually.ts';

const PROBE_INTERVAL_MS = 200;
const PROBE_FAILURES = 2;
/** Long enough for a busy machine: a probe that takes longer counts as failed. */
const PROBE_TIMEOUT_MS = 5_000;
/** Much longer than a gateway takes to start. */
const READY_MAX_MS = 60_000;

/** The DRAIN_DELAY_S of gateways behind a balancer: much longer than its probes need, even on a busy machine. */
export const BALANCED_DRAIN_DELAY_S = '3';

/** A load balancer for TCP that probes `/health/ready`. */
export interface Balancer {
  origin: string;
  /** Adds a gateway on a loopback port. */
  add: (port: number) => void;
  /** Waits until the gateway on this port gets connections. */
  untilUsed: (port: number) => Promise<void>;
  stop: () => Promise<void>;
}

interface Backend {
  port: number;
  failures: number;
}

/** Opens a balancer that gives each connection to the next ready gateway, and resets it if the gateway does. */
export async function openBalancer(): Promise<Balancer> {
  const backends: Backend[] = [];
  const probes: Promise<void>[] = [];
  let turn = 0;
  let isStopping = false;
  const isReady = ({ failures }: Backend) => failures < PROBE_FAILURES;

  /** Some consecutive failures mark a gateway as not ready, one success as ready. */
  async function probe(backend: Backend): Promise<void> {
    for (; !isStopping; await sleep(PROBE_INTERVAL_MS)) {
      const signal = AbortSignal.timeout(PROBE_TIMEOUT_MS);
      const url = `http://127.0.0.1:${String(backend.port)}/health/ready`;
      const answer = await fetch(url, { signal }).catch(() => undefined);
      await answer?.body?.cancel();
      backend.failures = answer?.ok === true ? 0 : backend.failures + 1;
    }
  }

  const server = createServer((client) => {
    const ready = backends.filter(isReady);
    const { port } = ready[turn++ % ready.length] ?? backends[0]!;
    const upstream = connect(port, '127.0.0.1');
    client.pipe(upstream).pipe(client);
    client.on('error', () => upstream.destroy());
    upstream.on('error', () => client.resetAndDestroy());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    origin: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`,
    add(port) {
      const backend = { port, failures: PROBE_FAILURES };
      backends.push(backend);
      probes.push(probe(backend));
    },
    untilUsed: (port) =>
      eventually(() => {
        if (!backends.some((each) => each.port === port && isReady(each))) throw new Error('A gateway is not ready');
      }, READY_MAX_MS),
    async stop() {
      isStopping = true;
      server.close();
      await Promise.all(probes);
    },
  };
}
