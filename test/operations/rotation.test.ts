import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { connect } from 'nats';
import { Client, escapeLiteral } from 'pg';
import { unfinished } from '../chaos/stored-plans.ts';
import {
  developmentSecret,
  loadOrCreateSecrets,
  newSecret,
  type DevelopmentSecrets,
} from '../../lib/config/secrets.ts';
import {
  ALL_SERVICES,
  DATABASE_SERVICES,
  FURTHER_SERVICES,
  hasDatabase,
  OPERATOR,
  TABLE_SERVICES,
  type AnyService,
  type DatabaseService,
  type FurtherService,
} from '../../lib/config/service-names.ts';
import { withDatabase, withLogin } from '../../lib/config/server-urls.ts';
import { defaultDatabaseName } from '../../lib/embedded/provision.ts';
import { permissionsFile, type OtherService } from '../../lib/transport/nats-permissions.ts';
import { inDatabase, tokens, type Member } from '../harness/cluster.ts';
import { expectAllEventsOnce } from '../harness/cluster-events.ts';
import { SETTLED_MS, startDoubledCluster, type DoubledCluster } from '../harness/doubled-cluster.ts';
import { eventually } from '../harness/eventually.ts';
import { HttpClient, type Json } from '../harness/http.ts';
import { reloadNats, startNats, type TestNats } from '../harness/nats.ts';
import { foundGroup, type TestGroup } from '../harness/group.ts';
import { ROOT, startProcess } from '../harness/process.ts';
import { outcomeOf } from '../harness/refusal.ts';
import { SteadyLoad, summaryOf } from '../harness/steady-load.ts';
import { expectAgreement } from '../harness/verified-databases.ts';
import { keepSecrets } from '../harness/written-output.ts';
import { withClient } from '../harness/servers.ts';
import { startReceiver, type Receiver } from './receiver.ts';
import { repeatedly } from './scene.ts';

const GROUPS = 4;
/** Far fewer than a busy machine manages meanwhile, and enough to meet each restart. */
const REQUESTS_MIN = 500;
/** Each PIN of the load is used within a few seconds. */
const PINS_USED_MAX_MS = 60_000;
/** The receiver of the test is on this machine. */
const PRIVATE = { WEBHOOK_PRIVATE_ADDRESSES: 'allow' };
/** Between two requests to the routes of webhooks and reminders. */
const FURTHER_PAUSE_MS = 100;

const OTHERS = JSON.parse(readFileSync(join(ROOT, 'deploy', 'nats', 'other-services.json'), 'utf8')) as OtherService[];

/** docs/rotation.md, as it is written there. */
describe('the secrets of two processes of each service', function () {
  this.timeout(600_000);
  let nats: TestNats;
  let doubled: DoubledCluster;
  let old: DevelopmentSecrets;
  let load: SteadyLoad;
  const summaries: string[] = [];
  const codes: (number | null)[] = [];
  /** Two processes of each further service, a group with an endpoint, and what was asked of both. */
  const further: { service: FurtherService; member: Member }[] = [];
  let group: TestGroup;
  let receiver: Receiver;
  let secret = '';
  const asked = { count: 0, failed: [] as string[] };
  const fresh = { jwt: newSecret(), pepper: newSecret(), webhooks: newSecret(), codes: newSecret() };
  /** The passwords of the users and roles `<service>` and `<service>-2`, at NATS and in PostgreSQL. */
  const passwords = { first: newSecret(), second: newSecret(), last: newSecret() };

  /** The configuration of the server; the operator, which the harness uses, keeps its password. */
  function natsConfig(first: string, doubledUsers: boolean): string {
    const text = permissionsFile(OTHERS, doubledUsers).replace(
      /\$NATS_([A-Z]+?)(_2)?_PASSWORD/g,
      (_, login, second) => {
        if (login === OPERATOR.toUpperCase()) return passwords.first;
        return second === undefined ? first : passwords.second;
      },
    );
    return `max_payload: 8MB\nauthorization {\n${text}\n}`;
  }

  before(async () => {
    keepSecrets(...Object.values(fresh), ...Object.values(passwords));
    nats = await startNats(natsConfig(passwords.first, false));
    const NATS_URL = `nats://127.0.0.1:${String(nats.port)}`;
    doubled = await startDoubledCluster({ NATS_URL, NATS_PASSWORD: passwords.first });
    old = await loadOrCreateSecrets(doubled.cluster.dataDir);
    load = await SteadyLoad.prepare({ ...doubled.cluster, origin: doubled.balancer.origin }, GROUPS);
    await startFurther();
    load.start();
    endRequests = repeatedly(FURTHER_PAUSE_MS, askFurther);
    await sleep(SETTLED_MS);
  });
  let endRequests: () => Promise<void> = () => Promise.resolve();
  after(async () => {
    await endRequests();
    await load.stop();
    await receiver.stop();
    await doubled.stop();
    await nats.stop();
  });

  async function startFurther(): Promise<void> {
    const { cluster, balancer } = doubled;
    for (const service of [...FURTHER_SERVICES, ...FURTHER_SERVICES])
      further.push({ service, member: await cluster.start([service], { settings: PRIVATE }) });
    receiver = await startReceiver();
    group = await foundGroup({ ...cluster, origin: balancer.origin }, { size: 1, pins: false });
    const { http, path } = group.members[0]!;
    await eventually(() => http.ok('/me/notifications'));
    secret = (await http.created(`${path}/webhooks`, { url: receiver.origin })).secret as string;
    keepSecrets(secret);
  }

  /** Asks both further services through a gateway, and records what fails. */
  async function askFurther(): Promise<void> {
    const { http, path } = group.members[0]!;
    for (const route of ['/me/notifications', `${path}/webhooks`]) {
      const answer = await http.get(route).catch((error: unknown) => ({ status: String(error) }));
      asked.count += 1;
      if (answer.status !== 200) asked.failed.push(`${route}: ${String(answer.status)}`);
    }
  }

  const asAdmin = (...statements: string[]): Promise<void> =>
    withClient(doubled.cluster.adminUrl, async (admin) => {
      for (const statement of statements) await admin.query(statement);
    });

  function databaseUrl(service: DatabaseService, user: string, password: string): string {
    return withLogin(withDatabase(doubled.cluster.adminUrl, defaultDatabaseName(service)), { user, password });
  }

  /** Restarts the processes of these services in turn. */
  async function restart(
    services: readonly AnyService[],
    settingsOf: (service: AnyService) => NodeJS.ProcessEnv,
  ): Promise<void> {
    for (const each of further.filter(({ service }) => services.includes(service))) {
      codes.push(await each.member.end());
      each.member = await doubled.cluster.start([each.service], {
        settings: { ...PRIVATE, ...settingsOf(each.service) },
      });
      await sleep(SETTLED_MS);
    }
    for (const each of doubled.processes.filter(({ service }) => services.includes(service)))
      codes.push(await doubled.restart(each, settingsOf(each.service)));
  }

  /** Runs a step of the procedure, after which no request may have failed. */
  async function step(what: string, work: () => Promise<void>): Promise<void> {
    const since_ms = performance.now();
    await work();
    await sleep(SETTLED_MS);
    const attempts = load.attempts.filter(({ began_ms }) => began_ms >= since_ms);
    summaries.push(`${what}: ${summaryOf(attempts)}`);
    const failed = load.failed(since_ms).map((each) => `${each.what}: ${String(each.outcome)}`);
    expect(failed, summaries.join('\n')).to.deep.equal([]);
    expect(attempts).not.to.be.empty;
    expect(asked.failed, what).to.deep.equal([]);
  }

  const login = (service: AnyService, name: string, password: string): NodeJS.ProcessEnv => ({
    NATS_USER: `${service}${name.replace('_', '-')}`,
    NATS_PASSWORD: password,
    ...(hasDatabase(service)
      ? { [`${service.toUpperCase()}_DATABASE_URL`]: databaseUrl(service, `${service}${name}`, password) }
      : {}),
  });

  it('are replaced under load without any failed request', async () => {
    const { cluster } = doubled;
    const offeredKey = async () =>
      ((await new HttpClient(cluster.origin, cluster.token('awa')).ok('/keys/pin')).keys as Json[])[0]?.kid;
    const oldKey = await offeredKey();
    await step('PIN keys', async () => {
      const { PATH } = process.env;
      const rotated = startProcess(['cli/rotate-pin-key.ts'], { env: { PATH, DATA_DIR: cluster.dataDir } });
      expect(await rotated.ended).to.equal(0);
      await eventually(async () => expect(await offeredKey()).not.to.equal(oldKey));
    });

    await step('second users and roles', async () => {
      await reloadNats(nats, natsConfig(passwords.first, true));
      const password = escapeLiteral(passwords.second);
      await asAdmin(
        ...DATABASE_SERVICES.map((role) => `CREATE ROLE ${role}_2 LOGIN PASSWORD ${password} IN ROLE ${role}`),
      );
    });
    const oldWebhooks = developmentSecret(old, 'WEBHOOK_SECRET_KEY');
    const firstRound: Partial<Record<AnyService, NodeJS.ProcessEnv>> = {
      webhooks: { WEBHOOK_SECRET_KEY: `${oldWebhooks},${fresh.webhooks}` },
      reminders: { REMINDERS_CODE_KEY: fresh.codes },
      gateway: { JWT_SECRET: fresh.jwt, JWT_SECRET_SECOND: old.jwtSecret },
      membership: { PIN_PEPPER: old.pinPepper, PIN_PEPPER_SECOND: fresh.pepper },
    };
    await step('first restarts', () =>
      restart(ALL_SERVICES, (service) => ({ ...login(service, '_2', passwords.second), ...firstRound[service] })),
    );

    await step('tokens with the new secret', () => {
      load.useTokens(tokens(fresh.jwt));
      const { http, user } = group.members[0]!;
      http.token = tokens(fresh.jwt)(user);
      return Promise.resolve();
    });
    await step('new passwords of the first users and roles', async () => {
      await reloadNats(nats, natsConfig(passwords.last, true));
      const password = escapeLiteral(passwords.last);
      await asAdmin(...DATABASE_SERVICES.map((role) => `ALTER ROLE ${role} PASSWORD ${password}`));
    });
    const secondRound: Partial<Record<AnyService, NodeJS.ProcessEnv>> = {
      webhooks: { WEBHOOK_SECRET_KEY: `${fresh.webhooks},${oldWebhooks}` },
      reminders: { REMINDERS_CODE_KEY: fresh.codes },
      gateway: { JWT_SECRET: fresh.jwt },
      membership: { PIN_PEPPER: fresh.pepper, PIN_PEPPER_SECOND: old.pinPepper },
    };
    await step('second restarts', () =>
      restart(ALL_SERVICES, (service) => ({ ...login(service, '', passwords.last), ...secondRound[service] })),
    );

    await step('no second users and roles', async () => {
      await reloadNats(nats, natsConfig(passwords.last, false));
      await asAdmin(...DATABASE_SERVICES.map((role) => `DROP ROLE ${role}_2`));
    });
    await step('PINs hashed with the new pepper', () =>
      eventually(async () => {
        const others = `SELECT count(*)::int AS pins FROM pins
          WHERE pepper IS DISTINCT FROM (SELECT check_value FROM pin_pepper)`;
        const { rows } = await inDatabase(cluster, 'membership', (client) => client.query<{ pins: number }>(others));
        expect(rows[0]?.pins).to.equal(0);
      }, PINS_USED_MAX_MS),
    );
    const alone: Partial<Record<AnyService, NodeJS.ProcessEnv>> = {
      membership: { PIN_PEPPER: fresh.pepper },
      webhooks: { WEBHOOK_SECRET_KEY: fresh.webhooks },
    };
    await step('the new pepper and the new key of webhooks alone', () =>
      restart(['membership', 'webhooks'], (service) => ({
        ...login(service, '', passwords.last),
        ...alone[service],
      })),
    );

    await endRequests();
    await load.stop();
    process.stderr.write(`${summaries.join('\n')}\n`);
    expect(load.failed()).to.deep.equal([]);
    expect(load.attempts).to.have.length.above(REQUESTS_MIN);
    expect(new Set(codes)).to.deep.equal(new Set([0]));
    await eventually(async () => expect(await unfinished(cluster)).to.deep.equal([]));
  });

  it('are then the new ones alone', async () => {
    const { origin, token } = doubled.cluster;
    expect((await new HttpClient(origin, token('awa')).get('/associations')).status).to.equal(401);
    expect((await new HttpClient(origin, tokens(fresh.jwt)('awa')).get('/associations')).status).to.equal(200);
    const servers = `127.0.0.1:${String(nats.port)}`;
    for (const [user, pass] of [
      ['treasury', passwords.first],
      ['treasury-2', passwords.second],
    ] as const) {
      expect(await outcomeOf(connect({ servers, user, pass, reconnect: false }))).to.equal('AUTHORIZATION_VIOLATION');
    }
    for (const [user, password] of [
      ['treasury', old.databasePasswords.treasury],
      ['treasury_2', passwords.second],
    ] as const) {
      const client = new Client({ connectionString: databaseUrl('treasury', user, password) });
      // 28P01: invalid_password, also for a role that does not exist.
      expect(await outcomeOf(client.connect())).to.equal('28P01');
    }
  });

  it('sign deliveries as before, with the secret that the new key opens', async () => {
    const { http, path } = group.members[0]!;
    expect(asked.count).to.be.above(0);
    const { data } = await http.ok(`${path}/webhooks`);
    const before = receiver.received.length;
    await http.send('POST', `${path}/webhooks/${String((data as Json[])[0]?.id)}/ping`);
    await eventually(() => expect(receiver.received.length).to.be.above(before));
    const { headers, body } = receiver.received.at(-1)!;
    const [id, timestamp] = ['webhook-id', 'webhook-timestamp'].map((name) => String(headers[name]));
    const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
    const signature = createHmac('sha256', key).update(`${id!}.${timestamp!}.${body}`).digest('base64');
    expect(headers['webhook-signature']).to.equal(`v1,${signature}`);
  });

  it('have lost nothing', async () => {
    load.useTokens(tokens(fresh.jwt));
    await load.expectNothingLostOrDoubled();
    const natsUrl = withLogin(doubled.cluster.natsUrl, { user: OPERATOR, password: passwords.first });
    const cluster = { ...doubled.cluster, natsUrl };
    await expectAllEventsOnce(cluster);
    const urls = TABLE_SERVICES.map((each) => login(each, '', passwords.last));
    const env = Object.assign({}, ...urls, { NATS_USER: undefined, NATS_PASSWORD: undefined }) as NodeJS.ProcessEnv;
    await expectAgreement({ ...cluster, env });
  });
});
