import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { loadDatabase } from '../../cli/catalogue.ts';
import { SERVICES, TABLE_SERVICES, type TableService } from '../../lib/config/service-names.ts';
import { serviceVariable } from '../../lib/config/variables.ts';
import { STREAM } from '../../lib/contracts/events.ts';
import { openBus } from '../../lib/events/stream.ts';
import { migrate } from '../../lib/db/migrate.ts';
import { defaultDatabaseName, provision } from '../../lib/embedded/provision.ts';
import { withDatabase } from '../../lib/config/server-urls.ts';
import { startCluster, type Cluster } from './cluster.ts';
import { eventually } from './eventually.ts';
import { startProcess, type Started } from './process.ts';
import { RestorablePostgres } from './restorable-postgres.ts';
import { withClient } from './servers.ts';

/** Longer than the clocks of processes on one machine differ. */
const INSTANT_MS = 50;

/** A cluster in which each service has a PostgreSQL server, which can be restored to an instant of its own. */
export class RestorableCluster {
  readonly servers: Record<TableService, RestorablePostgres>;
  readonly cluster: Cluster;
  readonly #env: NodeJS.ProcessEnv;

  private constructor(servers: Record<TableService, RestorablePostgres>, cluster: Cluster, env: NodeJS.ProcessEnv) {
    this.servers = servers;
    this.cluster = cluster;
    this.#env = env;
  }

  /** @param dir an empty directory */
  static async start(dir: string): Promise<RestorableCluster> {
    const servers = {} as Record<TableService, RestorablePostgres>;
    const env: NodeJS.ProcessEnv = {};
    await Promise.all(
      TABLE_SERVICES.map(async (service) => {
        await mkdir(join(dir, service), { mode: 0o755 });
        const server = (servers[service] = new RestorablePostgres(join(dir, service)));
        await server.start();
        const login = { name: service, password: 'restorable' };
        const { own } = await provision(server.url, { own: { database: defaultDatabaseName(service), login } });
        await migrate(own, (await loadDatabase(service)).migrations);
        env[serviceVariable('SERVICE_DATABASE_URL', service)] = own.url;
      }),
    );
    const cluster = await startCluster({ processes: [[...SERVICES]], settings: env });
    return new RestorableCluster(servers, cluster, { DATA_DIR: cluster.dataDir, ...env });
  }

  async backUp(): Promise<void> {
    await Promise.all(Object.values(this.servers).map((server) => server.backUp()));
  }

  /** Returns an instant between what has been committed and what will be. */
  async instant(): Promise<Date> {
    await sleep(INSTANT_MS);
    const now = new Date();
    await sleep(INSTANT_MS);
    return now;
  }

  async stopServices(): Promise<void> {
    await Promise.all(this.cluster.members().map((member) => member.end()));
  }

  async startServices(): Promise<void> {
    await this.cluster.start([...SERVICES]);
    await this.cluster.ready();
  }

  /** Stops the services, and restores some of the databases. */
  async restore(instants: Partial<Record<TableService, Date>>): Promise<void> {
    await this.stopServices();
    const restored = Object.entries(instants) as [TableService, Date][];
    await Promise.all(restored.map(([service, instant]) => this.servers[service].restoreTo(instant)));
  }

  /** Deletes the event stream, as if NATS had lost its files. */
  async deleteStream(): Promise<void> {
    const bus = await openBus(this.cluster.natsUrl, 'test');
    await bus.manager.streams.delete(STREAM);
    await bus.close();
  }

  /** Runs a command of the project, such as `repair.ts`, as an operator does. */
  async command(name: string, ...args: string[]): Promise<{ code: number | null; output: string }> {
    const started = this.#start(name, args);
    return { code: await started.ended, output: started.output() };
  }

  /** Archives the events of a service, as the administrator of its server. */
  async archive(service: TableService, dir: string): Promise<{ code: number | null; output: string }> {
    const args = [service, '--older-than', '30d', '--to', dir];
    const started = this.#start('archive.ts', args, { POSTGRES_URL: this.servers[service].url });
    return { code: await started.ended, output: started.output() };
  }

  /** Kills a command while it works in a database. */
  async interruptedCommand(name: string, ...args: string[]): Promise<void> {
    const started = this.#start(name, args);
    await eventually(async () => {
      const busy = await this.sql('treasury', `SELECT FROM pg_stat_activity WHERE state = 'idle in transaction'`);
      if (busy.length === 0 && !started.hasEnded()) throw new Error(`${name} has no transaction`);
    });
    await started.end('SIGKILL');
  }

  #start(name: string, args: string[], more: NodeJS.ProcessEnv = {}): Started {
    const { PATH, HOME } = process.env;
    return startProcess([join('cli', name), ...args], { env: { PATH, HOME, ...this.#env, ...more } });
  }

  /** Runs a statement in the database of a service, as administrator. */
  async sql<Row extends object>(service: TableService, text: string, ...values: unknown[]): Promise<Row[]> {
    const url = withDatabase(this.servers[service].url, defaultDatabaseName(service));
    return withClient(url, async (admin) => (await admin.query<Row>(text, values)).rows);
  }

  async stop(): Promise<void> {
    await this.cluster.stop();
    await Promise.all(Object.values(this.servers).map((server) => server.stop()));
  }
}
