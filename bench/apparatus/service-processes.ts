import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { TABLE_SERVICES } from '../../lib/config/service-names.ts';
import type { TableService } from '../../lib/config/service-names.ts';
import { defaultDatabaseName, withDatabase } from '../../lib/embedded/provision.ts';
import { startCluster } from '../../test/harness/cluster.ts';
import type { Cluster } from '../../test/harness/cluster.ts';
import type { ProcessTrees } from './cpu-time.ts';

/** The services as ops run them, each in a process of its own, on servers of their own. */
export interface ServiceProcesses {
  cluster: Cluster;
  /** As they were started: see treesOf(). */
  trees: ProcessTrees;
  /** A connection as administrator to the database of a service. */
  admin(service: TableService): pg.Pool;
  /** Waits until the relays have published all that the outboxes hold. */
  relaysAreDone(): Promise<void>;
  /** Ends the services and leaves the servers with what the databases hold. */
  stopServices(): Promise<void>;
  stop(): Promise<void>;
}

/** Far more than a relay needs for what a round of measuring leaves to it. */
const RELAY_TIMEOUT_MS = 60_000;
/** Seldom enough for the question itself not to count. */
const RELAY_POLL_MS = 100;

/**
 * Starts servers and services.
 * @param settings variables of the processes' environment
 */
export async function startServiceProcesses(settings: NodeJS.ProcessEnv = {}): Promise<ServiceProcesses> {
  const cluster = await startCluster({ settings });
  const pools = new Map<TableService, pg.Pool>();
  const admin = (service: TableService): pg.Pool => {
    const pool = pools.get(service) ?? administrator(cluster.adminUrl, service);
    pools.set(service, pool);
    return pool;
  };
  return {
    cluster,
    trees: await treesOf(cluster),
    admin,
    relaysAreDone: () => relaysAreDone(admin),
    stopServices: async () => void (await Promise.all(cluster.members().map((member) => member.end()))),
    async stop() {
      await Promise.all([...pools.values()].map((pool) => pool.end()));
      await cluster.stop();
    },
  };
}

function administrator(adminUrl: string, service: TableService): pg.Pool {
  const pool = new pg.Pool({ connectionString: withDatabase(adminUrl, defaultDatabaseName(service)), max: 1 });
  // The server's end closes idle connections; whoever still asks hears of it.
  pool.on('error', () => undefined);
  return pool;
}

/** The services that run, PostgreSQL and NATS; of a service that runs several times each process by itself. */
export async function treesOf(cluster: Cluster): Promise<ProcessTrees> {
  const trees: Record<string, number> = {};
  for (const { services, pid } of cluster.members().filter((member) => !member.hasEnded())) {
    const name = services.join('+');
    const number = Object.keys(trees).filter((each) => each.split(' ')[0] === name).length + 1;
    trees[number === 1 ? name : `${name} ${String(number)}`] = pid;
  }
  return { ...trees, ...(await serversOf(cluster.dataDir)) };
}

/** The processes of the servers under a DATA_DIR, from the files in which they tell. */
export async function serversOf(dataDir: string): Promise<{ postgres: number; nats: number }> {
  const [postgres, nats] = await Promise.all([
    readFile(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8'),
    readFile(join(dataDir, 'nats.pid'), 'utf8'),
  ]);
  return { postgres: parseInt(postgres, 10), nats: parseInt(nats, 10) };
}

async function relaysAreDone(admin: (service: TableService) => pg.Pool): Promise<void> {
  for (const end = Date.now() + RELAY_TIMEOUT_MS; ; await sleep(RELAY_POLL_MS)) {
    const waiting = await Promise.all(TABLE_SERVICES.map((service) => hasUnpublished(admin(service))));
    if (!waiting.includes(true)) return;
    if (Date.now() > end) throw new Error('The relays still have events to publish, long after the load has ended');
  }
}

async function hasUnpublished(pool: pg.Pool): Promise<boolean> {
  const { rowCount } = await pool.query('SELECT FROM outbox WHERE published_at IS NULL LIMIT 1');
  return rowCount === 1;
}
