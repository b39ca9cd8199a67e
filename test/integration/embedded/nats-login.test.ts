import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { ServiceBroker, type Context } from 'moleculer';
import { connect, type ConnectionOptions } from 'nats';
import { brokerOptions } from '../../../moleculer.config.ts';
import { runServices } from '../../../cli/run-services.ts';
import { TABLE_SERVICES } from '../../../lib/config/service-names.ts';
import { loadSettings } from '../../../lib/config/settings.ts';
import { attachInfrastructure } from '../../../lib/embedded/infrastructure.ts';
import { openBus } from '../../../lib/events/stream.ts';
import { openTcpProxy } from '../../harness/tcp-proxy.ts';
import { accepts, startDeployedNats, startNats, writeNatsPasswords, type TestNats } from '../../harness/nats.ts';
import { startProcess, untilPrinted } from '../../harness/process.ts';
import { outcomeOf } from '../../harness/refusal.ts';

const PASSWORD = `p/@ #:%?"'\\$x`;

/** Tries to join the cluster and to call an action that moves money, and returns whether that succeeded. */
async function callsTransfer(options: ConnectionOptions, wait_ms: number): Promise<boolean> {
  // Both the client and Moleculer would retry permanently.
  const transporter = { type: 'NATS' as const, options: { ...options, reconnect: false } };
  const transit = { disableReconnect: true };
  const nodeID = 'gateway.test';
  const client = new ServiceBroker({ nodeID, transporter, transit, logger: false, skipProcessEventRegistration: true });
  // If the server refuses the node, this promise never settles.
  void client.start();
  try {
    await client.waitForServices('treasury', wait_ms, 50);
    await client.call('treasury.transfer', { amount: 500_000 });
    return true;
  } catch {
    return false;
  } finally {
    if (client.started) await client.stop();
  }
}

describe('the NATS server of deploy/nats', () => {
  let dir: string;
  let nats: TestNats;
  let node: ServiceBroker;
  const transfers: unknown[] = [];
  let servers: string;
  let env: NodeJS.ProcessEnv;

  before(async () => {
    dir = await mkdtemp(join(tmpdir(), 'association-login-'));
    await writeNatsPasswords(dir, PASSWORD);
    nats = await startDeployedNats(dir);
    servers = `127.0.0.1:${String(nats.port)}`;
    env = { NATS_URL: servers, NATS_PASSWORD_FILE: join(dir, 'nats-treasury-password') };
    const settings = loadSettings(env, 'treasury');
    node = new ServiceBroker(brokerOptions(settings, settings.natsUrl ?? ''));
    node.createService({ name: 'treasury', actions: { transfer: (ctx: Context) => transfers.push(ctx.params) } });
    await node.start();
  });
  after(async () => {
    await node.stop();
    await nats.stop();
    await rm(dir, { recursive: true, force: true });
  });

  it('does not let a node without credentials join or call treasury.transfer', async () => {
    expect(await callsTransfer({ servers }, 1_500)).to.equal(false);
    expect(node.registry.getNodeList({ onlyAvailable: true, withServices: false })).to.have.length(1);
    expect(transfers).to.have.length(0);
    // With the password the same node succeeds, so the refusal above was caused by the missing login.
    const login = { servers, user: 'gateway', pass: PASSWORD };
    expect(await callsTransfer(login, 10_000)).to.equal(true);
    expect(transfers).to.have.length(1);
  });

  it('refuses clients without valid credentials, and accepts events from the services', async () => {
    const wrongs = [{}, { user: 'treasury', pass: 'x' }, { user: 'association', pass: PASSWORD }, { token: PASSWORD }];
    for (const wrong of wrongs) {
      expect(await outcomeOf(connect({ servers, reconnect: false, ...wrong }))).to.equal('AUTHORIZATION_VIOLATION');
    }
    const bus = await openBus(loadSettings(env, 'treasury').natsUrl ?? '', 'test');
    expect((await bus.jetstream.publish('ledger.v1.wallets.transfer.posted', '{}')).stream).to.equal('LEDGER');
    await bus.close();
  });

  it('serves monitoring only on the loopback address', async () => {
    expect((await fetch(`http://127.0.0.1:${String(nats.monitoringPort)}/healthz`)).status).to.equal(200);
    // A server that listens on all addresses would accept a connection to this one.
    expect(await accepts('127.0.0.2', nats.monitoringPort)).to.equal(false);
  });
});

describe('a process started with NODE_ENV=production', function () {
  this.timeout(120_000);
  const LOGIN = 'users: [{ user: a, password: b }]';
  const KEYS = TABLE_SERVICES.map((name) => [`${name.toUpperCase()}_CALLER_KEY`, name.padEnd(32, '-')] as const);
  const PRODUCTION = {
    NODE_ENV: 'production',
    JWT_SECRET: 'x'.repeat(32),
    LOG_LEVEL: 'info',
    ...Object.fromEntries(KEYS),
  };
  const ENVIRONMENT = { ...PRODUCTION, PORT: '0', DRAIN_DELAY_S: '0', NATS_USER: 'a', NATS_PASSWORD: 'b' };
  let guarded: TestNats;
  const others: TestNats[] = [];

  before(async () => {
    guarded = await startNats(`authorization { ${LOGIN} }`);
  });
  after(() => Promise.all([guarded, ...others].map((server) => server.stop())));

  /** Starts only a gateway, and returns its exit code and the last message that it logs before its end. */
  async function start(servers: string): Promise<string> {
    const env = { PATH: process.env['PATH'], ...ENVIRONMENT, NATS_URL: servers };
    const gateway = startProcess(['cli/service.ts', 'gateway'], { env });
    await Promise.race([untilPrinted(gateway, 'service ready').catch(() => undefined), gateway.ended]);
    const lines = gateway.output().trim().split('\n');
    return `${String(await gateway.end())} ${(JSON.parse(lines.at(-1) ?? '') as { msg: string }).msg}`;
  }

  const at = (server: TestNats): string => `127.0.0.1:${String(server.port)}`;

  it('starts if the NATS server requires a login', async () => {
    expect(await start(at(guarded))).to.match(/^0 Association service ready: gateway/);
  });

  for (const [defect, config] of [
    ['does not require a login', ''],
    ['gives every client a user (no_auth_user)', `authorization { ${LOGIN} }\nno_auth_user: a`],
  ] as const) {
    it(`refuses to start with a NATS server, even as one of several, that ${defect}, and names that server`, async () => {
      const open = await startNats(config);
      others.push(open);
      const line = new RegExp(`^1 NATS at ${at(open)} accepts clients without credentials[^\\n]*NATS_PASSWORD[^\\n]*$`);
      expect(await start(at(open))).to.match(line);
      expect(await start(`${at(guarded)},nats://${at(open)}`)).to.match(line);
    });
  }

  it('ends when a NATS server becomes available again and does not require a login', async () => {
    const open = await startNats('');
    others.push(open);
    const proxy = await openTcpProxy(`nats://${at(open)}`);
    proxy.cut();
    const server = new URL(proxy.url).host;
    const settings = loadSettings({ ...ENVIRONMENT, NATS_URL: `${at(guarded)},${server}`, LOG_LEVEL: 'fatal' });
    const stops: (() => Promise<void>)[] = [];
    const failed = Promise.withResolvers<string>();
    const to = {
      onStop: (stop: () => Promise<void>) => void stops.push(stop),
      fail: failed.resolve,
      log: () => undefined,
    };
    try {
      await runServices(settings, ['gateway'], () => attachInfrastructure(settings, ['gateway']), to, 100);
      await proxy.restore();
      expect(await failed.promise).to.match(new RegExp(`^NATS at ${server} accepts clients without credentials`));
    } finally {
      for (const stop of stops.reverse()) await stop();
      proxy.cut();
    }
  });

  it('refuses to start if the only NATS server is unavailable, and starts if another one is available', async () => {
    expect(await start('127.0.0.1:1')).to.match(/^1 Cannot reach NATS at 127\.0\.0\.1:1 /);
    expect(await start(`127.0.0.1:1,${at(guarded)}`)).to.match(/^0 Association service ready: gateway/);
  });
});
