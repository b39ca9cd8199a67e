import { execFile } from 'node:child_process';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { findNatsServer } from '../../lib/embedded/nats-binary.ts';
import { startDeployedServers, type DeployedServers } from '../harness/deployed.ts';
import { eventually } from '../harness/eventually.ts';
import { kubectlOrSkip } from '../harness/kubernetes/kubectl.ts';
import {
  build,
  deployedContainer,
  graceOf,
  ofKind,
  podOf,
  workloads,
  type Resource,
  type Workload,
} from '../harness/kubernetes/manifests.ts';
import type { HttpClient } from '../harness/http.ts';
import type { Started } from '../harness/process.ts';

const PID_FILE = '/tmp/nats.pid';

/** Between two requests of a client, which stays below the rate limit. */
const PAUSE_MS = 100;

const GROUP = {
  name: 'Njangi',
  type: 'tontine',
  currency: 'XAF',
  contribution_amount: 1_000,
  contribution_frequency: 'monthly',
};

/** Runs the containers of deploy/kubernetes without a cluster, with their environment and secrets, and stops them as it does. */
describe('deploy/kubernetes', function () {
  this.timeout(240_000);
  let resources: Resource[];
  let servers: DeployedServers;
  let gateways: Started[];
  let clients: HttpClient[];
  const services = new Map<Started, Workload>();

  before(async function () {
    const kubectl = await kubectlOrSkip(this);
    resources = await build(kubectl, 'overlays/development');
    const peers = deployedContainer(workload('association-nats'), resources).env['NATS_PEERS']?.split(' ') ?? [];
    const [{ spec } = { spec: {} }] = ofKind(resources, 'Service').filter(
      ({ metadata }) => metadata.name === 'postgres',
    );
    const { ports = [] } = spec as { ports?: { port: number }[] };
    const hosts = {
      postgres: `postgres:${String(ports[0]?.port)}`,
      nats: peers.map((peer) => peer.replace(':6222', ':4222')),
    };
    servers = await startDeployedServers(hosts, natsArgs);
  });
  after(() => servers.stop());

  function workload(name: string): Workload {
    const found = workloads(resources).find(({ metadata }) => metadata.name === name);
    if (found === undefined) throw new Error(`No ${name} in deploy/kubernetes`);
    return found;
  }

  function natsArgs(dir: string, index: number): string[] {
    const { args = [] } = podOf(workload('association-nats')).container;
    return args.map((arg) =>
      arg.replace('$(POD_NAME)', `association-nats-${String(index)}`).replace(PID_FILE, join(dir, 'nats.pid')),
    );
  }

  /** Runs `preStop`, sends SIGTERM, and kills the process at the end of the grace period. @returns its exit code; null if it was killed */
  async function stopAsKubelet(
    started: Started,
    of: Workload,
    exec: (command: string[]) => Promise<unknown>,
  ): Promise<number | null> {
    const kill = setTimeout(() => void started.end('SIGKILL'), graceOf(of) * 1_000);
    const { sleep: pause, exec: hook } = podOf(of).container.lifecycle?.preStop ?? {};
    if (pause !== undefined) await sleep(pause.seconds * 1_000);
    if (hook !== undefined) await exec(hook.command ?? []);
    const code = await started.end('SIGTERM');
    clearTimeout(kill);
    return code;
  }
  const withoutHook = () => Promise.reject(new Error('A service has no preStop command'));

  it('migrates, and starts NATS and the services with two gateways', async () => {
    const done = await servers.run(deployedContainer(workload('association-migrate'), resources));
    expect(done.match(/database ready/g)).to.have.length(6);
    const gateway = workload('association-gateway');
    const all = [gateway, ...(ofKind(resources, 'Deployment') as Workload[])];
    await Promise.all(
      all.map(async (each) => services.set(await servers.start(deployedContainer(each, resources)), each)),
    );
    gateways = [...services].flatMap(([started, of]) => (of === gateway ? [started] : []));
    clients = await Promise.all(gateways.map((each) => servers.clientOf(each)));
  });

  it('answers the probes of each container', async () => {
    for (const [started, of] of services) {
      const metrics = /metrics on (http:\/\/[\d.:]+)/.exec(started.output())?.[1] ?? '';
      const { startupProbe, livenessProbe, readinessProbe } = podOf(of).container;
      for (const probe of [startupProbe, livenessProbe, readinessProbe]) {
        expect(probe?.httpGet?.port).to.equal('metrics');
        const url = `${metrics}${probe?.httpGet?.path ?? ''}`;
        await eventually(async () => expect((await fetch(url)).status, `${of.metadata.name} ${url}`).to.equal(200));
      }
    }
    const { startupProbe, livenessProbe, readinessProbe } = podOf(workload('association-nats')).container;
    for (const { monitoringPort } of servers.nats) {
      for (const probe of [startupProbe, livenessProbe, readinessProbe]) {
        const path = /^http:\/\/127\.0\.0\.1:8222(\/.+)$/.exec(probe?.exec?.command?.at(-1) ?? '')?.[1] ?? '';
        const url = `http://127.0.0.1:${String(monitoringPort)}${path}`;
        await eventually(async () => expect((await fetch(url)).status, url).to.equal(200));
      }
    }
  });

  it('serves a request through each gateway', async () => {
    const { id } = (await clients[0]?.created('/associations', GROUP)) ?? {};
    expect((await clients[1]?.ok(`/associations/${String(id)}`))?.name).to.equal('Njangi');
  });

  it('verifies the databases', async () => {
    const of = workload('association-operator');
    const operator = await servers.start(deployedContainer(of, resources), 'checks');
    expect(operator.output()).to.match(/^VALID: \d+ records in \d+ checks/m);
    services.set(operator, of);
  });

  it('stops a gateway that serves through `preStop` and its drain, and ends before it is killed', async () => {
    const [gateway] = gateways;
    const [client] = clients;
    if (gateway === undefined || client === undefined) throw new Error('No gateway');
    let isStopping = true;
    const stopped = stopAsKubelet(gateway, workload('association-gateway'), withoutHook).finally(
      () => (isStopping = false),
    );
    const seen = new Set<number>();
    // In the drain it still serves, but is not ready.
    while (!seen.has(503) && isStopping) {
      seen.add((await client.get('//health/ready')).status);
      await client.created('/associations', GROUP);
      await sleep(PAUSE_MS);
    }
    expect([...seen]).to.deep.equal([200, 503]);
    expect(await stopped).to.equal(0);
  });

  it('stops a NATS server without a failed request', async () => {
    const [server] = servers.nats;
    const client = clients[1];
    if (server === undefined || client === undefined) throw new Error('No server');
    const program = await findNatsServer((line) => process.stderr.write(`${line}\n`));
    const exec = async ([shell = '', ...args]: string[]) => {
      const here = args.map((arg) => arg.replace(PID_FILE, join(server.dir, 'nats.pid')));
      const PATH = `${dirname(program)}:${process.env['PATH'] ?? ''}`;
      await promisify(execFile)(shell, here, { env: { PATH } });
    };
    let isStopping = true;
    const stopped = stopAsKubelet(server.process, workload('association-nats'), exec).finally(
      () => (isStopping = false),
    );
    while (isStopping) {
      await client.created('/associations', GROUP);
      await sleep(PAUSE_MS);
    }
    expect(await stopped).to.equal(0);
  });

  it('stops every other process within its grace period', async () => {
    const running = [...services].filter(([started]) => !started.hasEnded());
    const codes = await Promise.all(running.map(([started, of]) => stopAsKubelet(started, of, withoutHook)));
    expect(codes).to.deep.equal(running.map(() => 0));
    expect(codes).to.have.length(8);
  });
});
