import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { TABLE_SERVICES, type TableService } from '../../lib/config/service-names.ts';
import { defaultDatabaseName } from '../../lib/embedded/provision.ts';
import { withDatabase } from '../../lib/config/server-urls.ts';
import { startCluster, type Cluster } from '../../test/harness/cluster.ts';
import type { ProcessTrees } from './cpu-time.ts';

/** The services as operators run them, in separate processes and on separate servers. */
export interface ServiceProcesses {
  cluster: Cluster;
  /** Process trees of the services, PostgreSQL and NATS. */
  trees: ProcessTrees;
  /** Returns a connection as administrator to the database of a service. */
  admin: (service: TableService) => pg.Pool;
  /** Waits until the relays have published all events in the outboxes. */
  relaysAreDone(): Promise<void>;
  /** Stops the services; the servers continue to run. */
  stopServices(): Promise<void>;
  stop(): Promise<void>;
}

/** Much longer than a relay needs for the events of a round. */
const RELAY_TIMEOUT_MS = 60_000;
/** Long enough that the polls do not affect the measurement. */
const RELAY_POLL_MS = 100;

/** @param settings variables of every process */
export async function startServiceProcesses(settings: NodeJS.ProcessEnv = {}): Promise<ServiceProcesses> {
  const cluster = await startCluster({ settings: { LOG_LEVEL: 'warn', ...settings } });
  const pools = new Map(TABLE_SERVICES.map((service) => [service, openAdmin(cluster.adminUrl, service)]));
  const services = Object.fromEntries(cluster.members().map((member) => [member.services.join('+'), member.pid]));
  return {
    cluster,
    trees: { ...services, ...(await serversOf(cluster.dataDir)) },
    admin: (service) => pools.get(service)!,
    relaysAreDone: () => relaysAreDone([...pools.values()]),
    stopServices: async () => void (await Promise.all(cluster.members().map((member) => member.end()))),
    async stop() {
      await Promise.all([...pools.values()].map((pool) => pool.end()));
      await cluster.stop();
    },
  };
}

function openAdmin(adminUrl: string, service: TableService): pg.Pool {
  const pool = new pg.Pool({ connectionString: withDatabase(adminUrl, defaultDatabaseName(service)), max: 1 });
  // The server closes idle connections when it stops; running queries still fail.
  pool.on('error', () => undefined);
  return pool;
}

/** Returns the pids of the servers of a DATA_DIR, from their pid files. */
export async function serversOf(dataDir: string): Promise<{ postgres: number; nats: number }> {
  const [postgres, nats] = await Promise.all([
    readFile(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8'),
    readFile(join(dataDir, 'nats.pid'), 'utf8'),
  ]);
  return { postgres: parseInt(postgres, 10), nats: parseInt(nats, 10) };
}

async function relaysAreDone(pools: pg.Pool[]): Promise<void> {
  for (const end = Date.now() + RELAY_TIMEOUT_MS; ; await sleep(RELAY_POLL_MS)) {
    const waiting = await Promise.all(
      pools.map((pool) => pool.query('SELECT FROM outbox WHERE published_at IS NULL LIMIT 1')),
    );
    if (waiting.every(({ rowCount }) => rowCount === 0)) return;
    if (Date.now() > end) throw new Error('The relays have not published all events within a minute after the load');
  }
}
