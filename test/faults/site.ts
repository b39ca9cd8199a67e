import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadDatabase } from '../../cli/catalogue.ts';
import { loadOrCreateSecrets } from '../../lib/config/secrets.ts';
import { hasDatabase, OPERATOR, TABLE_SERVICES } from '../../lib/config/service-names.ts';
import { loadSettings } from '../../lib/config/settings.ts';
import { serviceVariable } from '../../lib/config/variables.ts';
import { migrate } from '../../lib/db/migrate.ts';
import { startInfrastructure, type Infrastructure } from '../../lib/embedded/infrastructure.ts';
import { startPostgres } from '../../lib/embedded/postgres.ts';
import { tokens, type Deployment } from '../harness/cluster.ts';
import { freePort } from '../harness/free-port.ts';
import { startNatsCluster, urlOf, type TestNats } from '../harness/nats.ts';
import { ROOT, startProcess, untilPrinted, type Started } from '../harness/process.ts';
import { saveWork } from '../harness/servers.ts';
import { openTcpProxy, type TcpProxy } from '../harness/tcp-proxy.ts';
import { openNatsLink, type NatsLink } from './nats-messages.ts';
import { openOutside, type Outside } from './outside.ts';
import { NATS_SERVERS, PROCESSES, type ProcessName } from './processes.ts';

/** Longer than all faults. */
const START_MAX_MS = 60_000;
const SERVICES_PROGRAM = join(ROOT, 'test', 'harness', 'faulty-services.ts');

/** A process of a service, and the connections that it alone uses. */
export interface ServiceProcess extends ProcessName {
  settings: NodeJS.ProcessEnv;
  started: Started | undefined;
  /** Whether the harness has killed or stopped it; its end may not be noticed yet. */
  isKilled: boolean;
  /** The difference of its clock from the system's. */
  ahead_ms: number;
  /** Outputs of earlier processes of this name. */
  earlier: string[];
  postgres: TcpProxy | undefined;
  nats: NatsLink[];
  /** From clients to a gateway. */
  http: TcpProxy | undefined;
}

/** The system under test: two processes of each service, PostgreSQL, and three NATS servers. */
export interface Site extends Pick<Deployment, 'adminUrl' | 'dataDir' | 'token'> {
  /** What is outside: what gets webhooks and mails. No fault affects it. */
  outside: Outside;
  processes: readonly ServiceProcess[];
  nats: readonly TestNats[];
  /** The addresses of the NATS servers, without proxies. */
  natsUrl: string;
  /** The addresses of the gateways for clients. */
  origins: string[];
  /** Starts a process of this name, and tries again while it cannot start. */
  start(process: ServiceProcess, ahead_ms?: number): Promise<void>;
  /** Returns the processes that ended although no fault has killed them. */
  crashes(): string[];
  /** Gives each process the system's clock again. */
  restoreClocks(): Promise<void>;
  /** Returns the process id of PostgreSQL. */
  postmaster(): Promise<number>;
  /** Starts PostgreSQL again after it was killed. */
  startPostgres(): Promise<void>;
  /** Writes the output of everything into a directory. */
  saveLogs(dir: string): Promise<void>;
  stop(): Promise<void>;
}

/** Starts the system under test. */
export async function startSite(): Promise<Site> {
  const dataDir = await mkdtemp(join(tmpdir(), 'association-faults-'));
  // Without the servers' own addresses, clients know only those of the proxies.
  const nats = await startNatsCluster('max_payload: 8MB', 'no_advertise: true');
  const natsUrl = urlOf(nats);
  const infrastructure = await startInfrastructure(
    loadSettings({ DATA_DIR: dataDir, NATS_URL: natsUrl }, OPERATOR),
    say,
  );
  await prepareDatabases(infrastructure);
  const { jwtSecret, postgresPassword } = await loadOrCreateSecrets(dataDir);
  const processes = await Promise.all(PROCESSES.map((each) => openProcess(each, infrastructure, nats)));
  const outside = await openOutside();
  const own = { DATA_DIR: dataDir, RATE_LIMIT: 'off', EVENTS_REPLICAS: String(NATS_SERVERS), ...outside.settings };
  const env = { ...process.env, ...own };
  // Loading the code takes most of a start, so one spare process has always loaded it.
  const prepared = new Set<Started>();
  let isStopped = false;
  const prepare = () => {
    const started = startProcess([SERVICES_PROGRAM], { env, ipc: true });
    prepared.add(started);
    return started;
  };
  let spare = prepare();
  let postgres: { stop(): Promise<void> } = infrastructure;
  const crashed: string[] = [];

  const site: Site = {
    outside,
    processes,
    nats,
    natsUrl,
    adminUrl: infrastructure.adminUrl ?? '',
    dataDir,
    token: tokens(jwtSecret),
    origins: processes.flatMap(({ http }) => (http === undefined ? [] : [new URL(http.url).origin])),
    async start(target, ahead_ms = target.ahead_ms) {
      if (hasCrashed(target)) crashed.push(target.name);
      for (const end_ms = performance.now() + START_MAX_MS; ;) {
        const started = spare;
        spare = prepare();
        if (target.started !== undefined) target.earlier.push(target.started.output());
        Object.assign(target, { started, ahead_ms, isKilled: false });
        const order = { services: [target.service], clock_offset_ms: ahead_ms, settings: target.settings };
        started.child.send(order);
        try {
          await untilPrinted(started, 'service ready');
          return;
        } catch (error) {
          // A process that cannot reach its servers ends, and is started again by what supervises it.
          if (isStopped || performance.now() > end_ms) throw error;
        }
      }
    },
    crashes: () => [...crashed, ...processes.filter(hasCrashed).map(({ name }) => name)],
    async restoreClocks() {
      const skewed = processes.filter(({ ahead_ms }) => ahead_ms !== 0);
      await Promise.all(
        skewed.map(async (each) => {
          each.isKilled = true;
          await each.started?.end();
          await site.start(each, 0);
        }),
      );
    },
    postmaster: async () =>
      Number((await readFile(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8')).split('\n')[0]),
    async startPostgres() {
      postgres = await startPostgres({ dataDir, password: postgresPassword, onCrash: () => undefined });
    },
    async saveLogs(dir) {
      for (const { name, earlier, started } of processes) {
        await writeFile(join(dir, `${name}.log`), [...earlier, started?.output() ?? ''].join('\n--- restarted ---\n'));
      }
      for (const [index, server] of nats.entries()) {
        await writeFile(join(dir, `nats-${String(index + 1)}.log`), server.process.output());
      }
      await writeFile(join(dir, 'postgres.log'), await readFile(join(dataDir, 'postgres.log')));
    },
    async stop() {
      isStopped = true;
      await Promise.all([...prepared].map((started) => started.end('SIGKILL')));
      for (const { postgres: link, nats: links, http } of processes) {
        for (const each of [link, http, ...links.map(({ proxy }) => proxy)]) each?.cut();
      }
      await postgres.stop();
      await infrastructure.stop();
      await Promise.all(nats.map((server) => server.stop()));
      await outside.stop();
      await rm(dataDir, { recursive: true, force: true, maxRetries: 5 });
    },
  };
  try {
    await Promise.all(processes.map((each) => site.start(each)));
    await outside.subscribe(site);
  } catch (error) {
    await site.stop();
    throw error;
  }
  return site;
}

/** A process at a fault point kills itself. */
function hasCrashed({ started, isKilled }: ServiceProcess): boolean {
  return started?.hasEnded() === true && !isKilled && started.child.signalCode !== 'SIGKILL';
}

async function prepareDatabases({ databases, adminUrl }: Infrastructure): Promise<void> {
  if (adminUrl === undefined) throw new Error('The harness needs its own PostgreSQL');
  for (const service of TABLE_SERVICES) await migrate(databases[service]!, (await loadDatabase(service)).migrations);
  await saveWork(adminUrl);
}

/** Opens the proxies of a process. */
async function openProcess(
  named: ProcessName,
  { databases }: Infrastructure,
  servers: readonly TestNats[],
): Promise<ServiceProcess> {
  const { service } = named;
  const nats = await Promise.all(servers.map(({ port }) => openNatsLink(`nats://127.0.0.1:${String(port)}`)));
  const settings: NodeJS.ProcessEnv = { NATS_URL: nats.map(({ proxy }) => proxy.url).join(',') };
  let postgres: TcpProxy | undefined;
  let http: TcpProxy | undefined;
  if (hasDatabase(service)) {
    postgres = await openTcpProxy(databases[service]!.url);
    settings[serviceVariable('SERVICE_DATABASE_URL', service)] = postgres.url;
  } else {
    settings['PORT'] = String(await freePort());
    http = await openTcpProxy(`http://127.0.0.1:${settings['PORT']}`);
  }
  return { ...named, settings, started: undefined, isKilled: false, ahead_ms: 0, earlier: [], postgres, nats, http };
}

function say(line: string): void {
  process.stderr.write(`${line}\n`);
}
