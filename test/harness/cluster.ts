import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import jwt from 'jsonwebtoken';
import { Pool, type ClientBase } from 'pg';
import { loadDatabase } from '../../cli/catalogue.ts';
import {
  developmentCallerKey,
  developmentSecret,
  loadOrCreateSecrets,
  pinKeysFile,
  type DevelopmentSecrets,
} from '../../lib/config/secrets.ts';
import {
  ALL_SERVICES,
  OPERATOR,
  DATABASE_SERVICES,
  FURTHER_SERVICES,
  SERVICES,
  TABLE_SERVICES,
  type AnyService,
  type DatabaseService,
  type FurtherService,
} from '../../lib/config/service-names.ts';
import { loadSettings } from '../../lib/config/settings.ts';
import { startInfrastructure, type Infrastructure } from '../../lib/embedded/infrastructure.ts';
import { defaultDatabaseName } from '../../lib/embedded/provision.ts';
import { withDatabase } from '../../lib/config/server-urls.ts';
import type { ProbeTimings } from '../../lib/db/prober.ts';
import { migrate } from '../../lib/db/migrate.ts';
import { createKeyFile } from '../../lib/pin/key-file.ts';
import { eventually } from './eventually.ts';
import { onFileEnd } from './file-end.ts';
import { freePort } from './free-port.ts';
import { startDeployedNats, writeNatsPasswords } from './nats.ts';
import { ROOT, startProcess, startService, untilPrinted, type Started } from './process.ts';
import { madeOnce, runFolder, saveWork } from './servers.ts';
import { keepSecrets } from './written-output.ts';

/** Each service in a separate process. */
export const APART: AnyService[][] = SERVICES.map((service) => [service]);
/** With the further services, whose routes the gateway learns. */
export const APART_WITH_FURTHER: AnyService[][] = [...APART, ...FURTHER_SERVICES.map((service) => [service])];
/** All services in one process. */
export const TOGETHER: AnyService[][] = [[...SERVICES]];
/** All services and the further ones in one process. */
export const TOGETHER_WITH_FURTHER: AnyService[][] = [[...ALL_SERVICES]];

/** The secrets of the further services, which production needs. */
export const FURTHER_SECRETS = ['WEBHOOK_SECRET_KEY', 'REMINDERS_CODE_KEY'];

/** Much longer than a start takes, even while many others start. */
const START_TIMEOUT_MS = 60_000;

/** Variable that describes the cluster which the test files of npm test share (test/run.ts). */
const SHARED_VARIABLE = 'TEST_SHARED_CLUSTER';

export interface TokenClaims {
  name?: string;
  scope?: string;
  /** Seconds since 1970; null for a token that does not expire; an hour from now if absent. */
  exp?: number | null;
}

/** The addresses and tokens of running services that clients and operators need. */
export interface Deployment {
  origin: string;
  adminUrl: string;
  dataDir: string;
  token: (user: string, claims?: TokenClaims) => string;
}

/** The services as operators run them: several processes on a separate NATS and a separate PostgreSQL. */
export interface Cluster extends Deployment {
  natsUrl: string;
  /** Starts another process. */
  start(services: AnyService[], options?: MemberOptions): Promise<Member>;
  /** Returns the newest running process of this service, or the last process if none runs. */
  running(service: AnyService): Member;
  /** Returns all processes that were started, in order. */
  members(): readonly Member[];
  /** Waits until the gateway reports that it is ready. */
  ready(): Promise<void>;
  stop(): Promise<void>;
}

export interface ClusterOptions {
  /** The services of each process; `APART` if absent. */
  processes?: readonly AnyService[][];
  /** Variables of every process, in addition to those of each cluster. */
  settings?: NodeJS.ProcessEnv;
  /** Whether the processes can be killed at fault points and recover early (faulty-services.ts). */
  faults?: boolean;
  /** Whether NATS is that of deploy/nats, where each process has only its service's login; or such a configuration. */
  logins?: boolean | GuardedNats;
  /** Timings of database probes if they differ from the default. */
  probeTimings?: ProbeTimings;
  /** Existing data for the services. */
  data?: ClusterData;
  /** The checkout whose services the first processes run; this one if absent. */
  root?: string | undefined;
}

/** A configuration of NATS like deploy/nats, with logins of other teams' services. */
export interface GuardedNats {
  configDir: string;
  others: readonly string[];
}

export interface ClusterData {
  /** The DATA_DIR, which the cluster removes. It may contain secrets. */
  dataDir: string;
  /** Fills the databases before the services start. */
  fill: (databases: Infrastructure['databases'], adminUrl: string) => Promise<void>;
  /** The time at which the services' clocks begin. */
  now: string;
}

export interface MemberOptions {
  /** The checkout whose services the process runs; this one if absent. */
  root?: string | undefined;
  /** Variables of this process. */
  settings?: NodeJS.ProcessEnv;
  /** The fault point of Member.dieAt(). */
  diesAt?: string | undefined;
}

/** One process of a cluster. */
export interface Member extends Started {
  services: AnyService[];
  /** Sets the fault point at which the process kills itself when it next reaches it (clusters with faults only). */
  dieAt(step: string): void;
}

/** Starts the servers and the services. */
export async function startCluster(options: ClusterOptions = {}): Promise<Cluster> {
  const { processes = APART, settings = {}, faults = false, logins = false, probeTimings, data, root } = options;
  const dataDir = data?.dataDir ?? (await makeDataDir());
  const nats = logins === false ? undefined : await startGuardedNats(dataDir, logins === true ? undefined : logins);
  const servers = Object.entries(settings).filter(([name]) => /^(NATS|POSTGRES)_/.test(name));
  const where = { DATA_DIR: dataDir, ...Object.fromEntries(servers), ...nats?.env };
  const infrastructure = await startInfrastructure(loadSettings(where, OPERATOR), say);
  await data?.fill(infrastructure.databases, infrastructure.adminUrl!);
  const clock_offset_ms = data === undefined ? 0 : Date.parse(data.now) - Date.now();
  const secrets = await loadOrCreateSecrets(dataDir);
  const { databasePasswords, ...others } = secrets;
  keepSecrets(...Object.values(others), ...Object.values(databasePasswords));
  keepSecrets(...DATABASE_SERVICES.map((service) => developmentCallerKey(secrets, service)));
  keepSecrets(...FURTHER_SECRETS.map((name) => developmentSecret(secrets, name)));
  const port = await freePort();
  const own = { DATA_DIR: dataDir, PORT: String(port), RATE_LIMIT: 'off' };
  const given = settings['NODE_ENV'] === 'production' ? await productionSettings(dataDir, secrets, infrastructure) : {};
  const env = { ...process.env, ...own, ...nats?.env, ...given, ...settings };
  const members: Member[] = [];
  // Loading the code takes most of a start, so one spare process has always loaded it.
  let spare = faults || probeTimings !== undefined ? spawnFaulty(env) : undefined;
  const origin = `http://127.0.0.1:${String(port)}`;

  const cluster: Cluster = {
    origin,
    dataDir,
    adminUrl: infrastructure.adminUrl ?? '',
    natsUrl: infrastructure.natsUrl,
    token: tokens(secrets.jwtSecret),
    async start(services, { settings: changed = {}, diesAt, root: from = ROOT } = {}) {
      let started = spare;
      if (started === undefined) {
        started = await startService([join(from, 'cli/service.ts'), ...services], { env: { ...env, ...changed } });
      } else {
        spare = spawnFaulty(env);
        if (!started.child.connected) throw new Error(`The spare process has ended:\n${started.output()}`);
        started.child.send({ services, diesAt, isImpatient: faults, probeTimings, clock_offset_ms, settings: changed });
        await untilPrinted(started, 'service ready');
      }
      const { child } = started;
      const member = { ...started, services, dieAt: (step: string) => void child.send({ diesAt: step }) };
      members.push(member);
      return member;
    },
    running(service) {
      const all = members.filter((each) => each.services.includes(service));
      const member = all.findLast((each) => !each.hasEnded()) ?? all.at(-1);
      if (member === undefined) throw new Error(`${service} does not run here`);
      return member;
    },
    members: () => members,
    ready: () =>
      eventually(async () => {
        const answer = await fetch(`${origin}/health/ready`);
        if (!answer.ok) throw new Error(`Not ready: ${await answer.text()}`);
      }, START_TIMEOUT_MS),
    async stop() {
      spare?.child.kill('SIGKILL');
      await Promise.all(members.map((member) => member.end()));
      await infrastructure.stop();
      await nats?.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
  try {
    await Promise.all(processes.map((services) => cluster.start(services, { root })));
    await cluster.ready();
    await untilRoutesOf(
      cluster,
      FURTHER_SERVICES.filter((each) => processes.flat().includes(each)),
    );
  } catch (error) {
    await cluster.stop();
    throw error;
  }
  return cluster;
}

/** Waits until the gateway serves the routes of these services. */
export async function untilRoutesOf(
  { origin }: Pick<Cluster, 'origin'>,
  services: readonly FurtherService[],
): Promise<void> {
  if (services.length === 0) return;
  const tags = { webhooks: 'Webhooks', reminders: 'Notifications' };
  await eventually(async () => {
    const document = await (await fetch(`${origin}/openapi.json`)).text();
    const missing = services.filter((each) => !document.includes(`"name":"${tags[each]}"`));
    if (missing.length > 0) throw new Error(`The gateway does not know the routes of ${missing.join(', ')}`);
  }, START_TIMEOUT_MS);
}

/** Returns where a process serves its metrics, if it still runs. */
export function metricsUrl({ hasEnded, output }: Started): string | undefined {
  return hasEnded() ? undefined : /metrics on (http\S+)/.exec(output())?.[1];
}

/** Starts the NATS server of deploy/nats; returns the variables with which each process gets its own login. */
async function startGuardedNats(dataDir: string, { configDir, others }: Partial<GuardedNats> = {}) {
  const dir = join(dataDir, 'nats-passwords');
  await mkdir(dir);
  await writeNatsPasswords(dir, undefined, others);
  const { port, stop } = await startDeployedNats(dir, {}, { configDir });
  const env = { NATS_URL: `127.0.0.1:${String(port)}`, NATS_PASSWORD_FILE: join(dir, `nats-${OPERATOR}-password`) };
  return { env, stop };
}

/** Starts a process that waits for the message with its services. */
function spawnFaulty(env: NodeJS.ProcessEnv): Started {
  return startProcess([join(ROOT, 'test', 'harness', 'faulty-services.ts')], { env, ipc: true });
}

/** Returns a function that signs tokens. */
export function tokens(jwtSecret: string): Deployment['token'] {
  const sign = (user: string, { exp, ...claims }: TokenClaims): string => {
    if (exp === null) return jwt.sign(claims, jwtSecret, { subject: user });
    if (exp !== undefined) return jwt.sign({ ...claims, exp }, jwtSecret, { subject: user });
    return jwt.sign(claims, jwtSecret, { subject: user, expiresIn: '1h' });
  };
  return (user, claims = {}) => {
    const token = sign(user, claims);
    const [, , signature = ''] = token.split('.');
    keepSecrets(signature, ...(typeof claims.name === 'string' ? [claims.name] : []));
    return token;
  };
}

/** Whether data directories are copied from a prepared one, which is faster if there are many clusters. */
let isPreparing = SHARED_VARIABLE in process.env;

/** Creates a DATA_DIR that the caller removes; in a run of many files it has migrated databases, which take seconds. */
export async function makeDataDir(): Promise<string> {
  const dataDir = await mkdtemp(join(tmpdir(), 'association-cluster-'));
  if (isPreparing) {
    const prepared = await madeOnce('prepared-data', prepareData);
    // PostgreSQL needs the owner of the files, which fs.cp() would not keep.
    await promisify(execFile)('cp', ['-a', `${prepared}/.`, dataDir]);
  }
  return dataDir;
}

async function prepareData(): Promise<string> {
  const dataDir = join(runFolder(), 'prepared-data');
  const infrastructure = await startInfrastructure(loadSettings({ DATA_DIR: dataDir }), say);
  for (const service of TABLE_SERVICES) {
    const { migrations } = await loadDatabase(service);
    await migrate(infrastructure.databases[service]!, migrations);
  }
  await saveWork(infrastructure.adminUrl!);
  await infrastructure.stop();
  // Servers read their earlier ports from these files; concurrent clusters need different ports.
  for (const file of ['postgres/postmaster.opts', 'nats.conf']) await rm(join(dataDir, file));
  return dataDir;
}

/** Returns the variables that production requires: the embedded servers and the development secrets. */
async function productionSettings(
  dataDir: string,
  secrets: DevelopmentSecrets,
  { adminUrl, natsUrl }: Infrastructure,
): Promise<NodeJS.ProcessEnv> {
  const file = pinKeysFile(dataDir);
  await createKeyFile(file, new Date());
  const pins = { PIN_PEPPER: secrets.pinPepper, PIN_PRIVATE_KEYS_FILE: file };
  const keys = DATABASE_SERVICES.map((each) => [
    `${each.toUpperCase()}_CALLER_KEY`,
    developmentCallerKey(secrets, each),
  ]);
  const own = [...keys, ...FURTHER_SECRETS.map((name) => [name, developmentSecret(secrets, name)])];
  const others = Object.fromEntries(own) as NodeJS.ProcessEnv;
  return { JWT_SECRET: secrets.jwtSecret, ...pins, ...others, POSTGRES_URL: adminUrl, NATS_URL: natsUrl };
}

const pools = new Map<string, Pool>();

/** Runs `work` on a connection to the database of a service, as administrator. */
export async function inDatabase<T>(
  { adminUrl }: Pick<Deployment, 'adminUrl'>,
  service: DatabaseService,
  work: (client: ClientBase) => Promise<T>,
): Promise<T> {
  const connectionString = withDatabase(adminUrl, defaultDatabaseName(service));
  const pool = pools.get(connectionString) ?? new Pool({ connectionString, allowExitOnIdle: true });
  // Errors of idle connections to a stopped server are ignored.
  if (!pools.has(connectionString))
    pools.set(
      connectionString,
      pool.on('error', () => undefined),
    );
  const client = await pool.connect();
  let failed = true;
  try {
    const result = await work(client);
    failed = false;
    return result;
  } finally {
    client.release(failed);
  }
}

/** Each process with its own NATS login; requests can name the address that they come from. */
const SHARED: ClusterOptions = {
  processes: APART_WITH_FURTHER,
  logins: true,
  settings: { TRUSTED_PROXIES: '127.0.0.1', WEBHOOK_PRIVATE_ADDRESSES: 'allow' },
};

let own: Promise<Cluster> | undefined;

/**
 * Returns a cluster of `APART_WITH_FURTHER` that other test files use concurrently. A test may add data, but must not change
 * settings, keys or processes.
 */
export async function sharedCluster(): Promise<Deployment> {
  const given = process.env[SHARED_VARIABLE];
  if (given === undefined) return (own ??= startCluster(SHARED));
  const { jwtSecret, ...where } = JSON.parse(given) as Omit<Deployment, 'token'> & { jwtSecret: string };
  return { ...where, token: tokens(jwtSecret) };
}

/** Starts the shared cluster for all processes that this process starts later. @returns a function that stops it */
export async function shareCluster(): Promise<() => Promise<void>> {
  isPreparing = true;
  const cluster = await startCluster(SHARED);
  const { origin, adminUrl, dataDir } = cluster;
  const { jwtSecret } = await loadOrCreateSecrets(dataDir);
  process.env[SHARED_VARIABLE] = JSON.stringify({ origin, adminUrl, dataDir, jwtSecret });
  return () => cluster.stop();
}

async function stopOwn(): Promise<void> {
  const cluster = await own;
  own = undefined;
  await cluster?.stop();
}

onFileEnd(stopOwn, { isLast: true });

function say(line: string): void {
  process.stderr.write(`${line}\n`);
}
