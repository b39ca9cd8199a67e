import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { ALL_SERVICES, type AnyService } from '../../lib/config/service-names.ts';
import { openBalancer, type Balancer } from '../harness/balancer.ts';
import { tokens } from '../harness/cluster.ts';
import { provideBaseImages } from '../harness/containers/base-images.ts';
import { ContainerDeployment, lines, type Scales } from '../harness/containers/deployment.ts';
import { missingForContainers, startEngine, type Engine } from '../harness/containers/engine.ts';
import { PUBLISH, READ_PROBES, type Probes } from '../harness/containers/in-container.ts';
import { eventually } from '../harness/eventually.ts';
import type { GroupHost } from '../harness/group.ts';
import { HttpClient } from '../harness/http.ts';
import { ROOT } from '../harness/process.ts';
import { SteadyLoad, summaryOf } from '../harness/steady-load.ts';

const GROUPS = 4;
const NATS = ['nats-1', 'nats-2', 'nats-3'];
/** Load before and after each change. */
const SETTLED_MS = 2_000;
/** Much longer than a container takes to start on a busy machine. */
const START_PATIENCE_MS = 120_000;
const ONE_EACH: Scales = Object.fromEntries(ALL_SERVICES.map((service) => [service, 1]));
const BASE: Scales = { ...ONE_EACH, gateway: 2, treasury: 2 };
const TWO_EACH: Scales = Object.fromEntries(ALL_SERVICES.map((service) => [service, 2]));

const missing = missingForContainers();

describe('docker-compose.yml in containers', function () {
  this.timeout(900_000);
  if (missing !== undefined) {
    // Mocha reports a test without a body as pending.
    it(`is not tested, since ${missing}`);
    return;
  }
  let engine: Engine;
  let deployment: ContainerDeployment;
  let balancer: Balancer;
  let host: GroupHost;
  let load: SteadyLoad;
  const signatures: string[] = [];
  const stops: (() => Promise<unknown>)[] = [];

  before(async () => {
    engine = await startEngine();
    stops.push(() => engine.stop());
    await provideBaseImages(engine);
    deployment = await ContainerDeployment.prepare(engine);
    stops.push(() => deployment.remove());
    const began_ms = performance.now();
    await deployment.compose('build');
    const built_ms = performance.now();
    await deployment.up(BASE);
    balancer = await openBalancer();
    stops.push(() => balancer.stop());
    await useGateways();
    const { 'jwt-secret': secret } = await deployment.secrets();
    const sign = tokens(secret!);
    host = {
      origin: balancer.origin,
      token(user, claims) {
        const token = sign(user, claims);
        signatures.push(token.split('.')[2]!);
        return token;
      },
    };
    const size = await engine.run('image', 'inspect', '--format', '{{.Size}}', deployment.image);
    const seconds = [built_ms - began_ms, performance.now() - built_ms].map((took_ms) => (took_ms / 1_000).toFixed(0));
    report(`image ${(Number(size) / 1e6).toFixed(0)} MB, built in ${seconds[0]} s; all ready ${seconds[1]} s later`);
    load = await SteadyLoad.prepare(host, GROUPS);
    stops.push(() => load.stop());
  });
  after(async () => {
    const failures: unknown[] = [];
    // What fails must not keep the rest from being removed.
    for (const stop of stops.reverse()) await stop().catch((error: unknown) => failures.push(error));
    if (failures.length > 0) throw new AggregateError(failures, failures.map(String).join('\n'));
  });

  const known = new Set<number>();
  /** Adds new gateways to the balancer, and waits until all are ready. */
  async function useGateways(): Promise<void> {
    for (const port of await deployment.gatewayPorts()) {
      if (!known.has(port)) balancer.add(port);
      known.add(port);
      await balancer.untilUsed(port);
    }
  }

  async function containersOf(names: readonly string[]): Promise<{ name: string; id: string }[]> {
    const found = await Promise.all(names.map(async (name) => ({ name, ids: await deployment.running(name) })));
    return found.flatMap(({ name, ids }) => ids.map((id) => ({ name, id })));
  }

  const runNode = (id: string, program: string, ...args: string[]) =>
    deployment.exec(id, 'node', '--input-type=module', '--eval', program, ...args);

  /** Returns what the services have logged about faults, which explains failed requests. */
  async function warningsSince(time: Date): Promise<string[]> {
    const logs = (await containersOf(ALL_SERVICES)).map(({ id }) =>
      engine.run('logs', '--since', time.toISOString(), id),
    );
    return (await Promise.all(logs)).flatMap(lines).filter((line) => /"level":"(warn|error|fatal)"/.test(line));
  }

  /** Waits until each container of the services reports that it is ready. */
  const untilReady = () =>
    eventually(async () => {
      for (const { name, id } of await containersOf(ALL_SERVICES)) {
        const { ready } = JSON.parse(await runNode(id, READ_PROBES)) as Probes;
        expect(ready.status, `${name}: ${ready.body}`).to.equal(200);
      }
    }, START_PATIENCE_MS);

  it('runs processes without root, capabilities and writable files', async () => {
    for (const { name, id } of await containersOf([...ALL_SERVICES, 'operator', ...NATS, 'postgres'])) {
      const status = await deployment.exec(id, 'cat', '/proc/1/status');
      const field = (key: string) => new RegExp(`^${key}:\\s+(\\S+)`, 'm').exec(status)?.[1];
      expect(field('CapEff'), name).to.equal('0000000000000000');
      expect(field('NoNewPrivs'), name).to.equal('1');
      // The image of NATS has no other user than root.
      if (!NATS.includes(name)) expect(field('Uid'), name).to.not.equal('0');
      if (name === 'postgres') continue;
      const isWritable = await deployment.exec(id, 'sh', '-c', 'touch /etc/written 2>/dev/null && echo yes || echo no');
      expect(isWritable, name).to.equal('no\n');
    }
    const user = await engine.run('image', 'inspect', '--format', '{{.Config.User}}', deployment.image);
    expect(user.trim()).to.equal('1000:1000');
  });

  it('has healthy containers, and no check for what ends', async () => {
    await eventually(async () => {
      for (const { name, id } of await containersOf([...ALL_SERVICES, 'operator', ...NATS, 'postgres'])) {
        const health = await engine.run('inspect', '--format', '{{.State.Health.Status}}', id);
        expect(health.trim(), name).to.equal('healthy');
      }
    }, START_PATIENCE_MS);
  });

  it('keeps three replicas of the event stream', async () => {
    const [nats] = await deployment.running('nats-1');
    const url = 'http://127.0.0.1:8222/jsz?streams=1&config=1';
    const state = await deployment.exec(nats!, 'wget', '-q', '-O', '-', url);
    expect(/"num_replicas": (\d)/.exec(state)?.[1]).to.equal('3');
  });

  it('refuses a service the subjects of another', async () => {
    const [treasury] = await deployment.running('treasury');
    const publish = (subject: string) => runNode(treasury!, PUBLISH, 'treasury', subject);
    expect(await publish('ledger.v1.here.member.joined')).to.contain('PERMISSIONS_VIOLATION');
    expect(await publish('MOL.RES.governance.other')).to.equal('');
  });

  it('serves the routes of webhooks and reminders', async () => {
    const client = new HttpClient(host.origin, host.token('awa'));
    await eventually(() => client.ok('/me/notifications'), START_PATIENCE_MS);
    await eventually(() => client.ok('/me/notifications/sent'), START_PATIENCE_MS);
    const url = 'https://example.com/hook';
    expect((await client.send('POST', '/webhooks', { url })).status).to.equal(403);
    const manager = new HttpClient(host.origin, host.token('app', { scope: 'webhooks:manage' }));
    // A name and an address in the network of the containers.
    for (const inside of ['https://postgres/hook', 'https://10.89.0.2/hook'])
      expect((await manager.send('POST', '/webhooks', { url: inside })).status, inside).to.equal(422);
  });

  it('runs the demo', async () => {
    const [port] = await deployment.gatewayPorts();
    const env = { ...process.env, PORT: String(port), JWT_SECRET_FILE: join(deployment.dir, 'secrets', 'jwt-secret') };
    const { stdout } = await promisify(execFile)(process.execPath, ['examples/demo.ts'], { cwd: ROOT, env });
    expect(stdout.match(/exports the ledger of .*: VALID: /g)).to.have.length(4);
  });

  describe('under load', () => {
    before(async () => {
      load.start();
      await sleep(SETTLED_MS);
    });
    after(() => load.stop());

    it('answers every request while each service is scaled up and down', async () => {
      const began = new Date();
      for (const scales of [TWO_EACH, { ...ONE_EACH, gateway: 2 }, BASE]) {
        await deployment.up(scales, '--no-recreate');
        await useGateways();
        await untilReady();
        for (const service of ALL_SERVICES) expect(await deployment.running(service)).to.have.length(scales[service]!);
        await sleep(SETTLED_MS);
      }
      const failed = load.failed();
      report(`scaled: ${summaryOf(load.attempts)}`, ...(failed.length > 0 ? await warningsSince(began) : []));
      expect(load.attempts).to.not.be.empty;
      expect(failed).to.deep.equal([]);
    });

    it('answers every request while a NATS server is restarted', async () => {
      const since_ms = performance.now();
      await deployment.compose('restart', 'nats-3');
      await untilReady();
      await sleep(SETTLED_MS);
      report(`nats-3 restarted: ${summaryOf(load.attempts.filter(({ began_ms }) => began_ms > since_ms))}`);
      expect(load.failed(since_ms)).to.deep.equal([]);
    });

    for (const service of ['treasury', 'gateway', 'nats-2'] as (AnyService | 'nats-2')[]) {
      it(`goes on while a container of ${service} is killed and replaced`, async () => {
        const [lost] = await deployment.running(service);
        const killed = new Date();
        const killed_ms = performance.now();
        await engine.run('kill', lost!);
        await engine.run('rm', '--force', lost!);
        await sleep(SETTLED_MS);
        const without = load.attempts.filter(({ began_ms }) => began_ms > killed_ms);
        await deployment.up(BASE, '--no-recreate');
        await useGateways();
        await untilReady();
        expect(await deployment.running(service))
          .to.have.length(BASE[service] ?? 1)
          .and.not.include(lost);
        const all = load.attempts.filter(({ began_ms }) => began_ms > killed_ms);
        const failed = load.failed(killed_ms);
        const lasted_ms = Math.max(0, ...failed.map(({ began_ms }) => began_ms - killed_ms));
        report(
          `${service} killed: ${summaryOf(all)}; the last failed began ${lasted_ms.toFixed(0)} ms later`,
          ...failed.map(({ what, keyed, outcome }) => `${what}, ${String(keyed)}: ${outcome}`),
          ...(failed.length > 0 ? await warningsSince(killed) : []),
        );
        for (const keyed of [true, false]) {
          const answered = without.filter((each) => each.keyed === keyed && typeof each.outcome === 'number');
          expect(answered, `answered without it, ${summaryOf(without)}`).to.not.be.empty;
        }
      });
    }
  });

  describe('after the load', () => {
    it('has lost and doubled nothing', async () => {
      expect(load.attempts).to.not.be.empty;
      await eventually(() => load.expectNothingLostOrDoubled(), START_PATIENCE_MS);
    });

    it('serves metrics and health in every container', async () => {
      for (const { name, id } of await containersOf([...ALL_SERVICES, 'operator'])) {
        const { live, ready, metrics } = JSON.parse(await runNode(id, READ_PROBES)) as Probes;
        expect([live.status, ready.status, metrics.status], name).to.deep.equal([200, 200, 200]);
        const sign = name === 'operator' ? 'ledger_verified_timestamp_seconds' : `target_info{service_name="${name}"`;
        expect(metrics.body, name).to.contain(sign).and.contain('\nhealth_ready 1\n');
      }
    });

    it('runs the commands of operators', async () => {
      const [operator] = await deployment.running('operator');
      const top = await deployment.exec(operator!, 'node', 'cli/top.ts', '--once');
      for (const service of ALL_SERVICES)
        expect(top).to.match(new RegExp(`^${service}\\.\\S+ +${service} +ready`, 'm'));
      expect(await deployment.exec(operator!, 'node', 'cli/dead-letters.ts', 'list')).to.equal('0 dead letters\n');
    });

    it('logs JSON lines, and no secret', async () => {
      const { 'pin-keys.json': keys, ...secrets } = await deployment.secrets();
      const privateKeys = keys!.match(/"[\w-]{40,}"/g)!.map((text) => text.slice(1, -1));
      const unwritten = [...Object.values(secrets), ...privateKeys, ...signatures, 'Member 0'];
      for (const { name, id } of await containersOf([...ALL_SERVICES, 'operator', ...NATS, 'postgres', 'migrate'])) {
        const log = await engine.run('logs', id);
        expect(log, name).to.not.equal('');
        for (const secret of unwritten) expect(log.includes(secret), `a secret in the log of ${name}`).to.equal(false);
        if (!(ALL_SERVICES as readonly string[]).includes(name)) continue;
        for (const line of lines(log)) expect(JSON.parse(line)).to.include.keys('level', 'time', 'msg');
      }
    });

    it('has its data after it was taken down and up, and a valid ledger', async () => {
      const before = await load.state();
      await deployment.compose('down');
      expect(await containersOf(ALL_SERVICES)).to.be.empty;
      await deployment.up(BASE);
      await useGateways();
      await untilReady();
      expect(await load.state()).to.deep.equal(before);
      const [operator] = await deployment.running('operator');
      const verify = ['node', 'cli/verify.ts', 'ledger', '--databases', '--checkpoint', '/tmp/verify-ledger.json'];
      expect(await deployment.exec(operator!, ...verify)).to.match(/^VALID: /m);
    });
  });
});

/** Prints measurements, which are not asserted. */
function report(...facts: string[]): void {
  for (const fact of facts) process.stderr.write(`    ${fact}\n`);
}
