import pg from 'pg';
import { forTableServices } from '../../lib/config/service-names.ts';
import type { Settings } from '../../lib/config/settings.ts';
import { openPool } from '../../lib/db/pool.ts';
import { HALF_OPEN_ENDS } from '../../lib/db/pool-settings.ts';
import '../../lib/db/pg-types.ts';
import { attachInfrastructure, type Infrastructure } from '../../lib/embedded/infrastructure.ts';
import { openBus } from '../../lib/events/stream.ts';
import { databaseOf } from '../../lib/node/resources.ts';
import type { Sources } from './check.ts';

/** A check reads one page at a time. */
const POOL_MAX_CONNECTIONS = 2;

/**
 * Sessions have the services' own roles. Dead connections end, but statements have no time limit, as one may read a whole
 * table; with more memory, such a statement needs fewer temporary files.
 */
const SESSION = `${HALF_OPEN_ENDS} -c work_mem=64MB -c jit=off`;
const READING = `${SESSION} -c default_transaction_read_only=on`;

/** The databases and the event stream, as a command uses them. */
export interface OpenSources extends Sources, Pick<Infrastructure, 'natsUrl' | 'databases'> {
  close(): Promise<void>;
}

/**
 * Opens the databases and the event stream.
 * @param name names the sessions
 * @throws StartupError if one of them cannot be reached
 */
export async function openSources(
  settings: Settings,
  name: 'verify' | 'repair' | 'dead-letters' = 'verify',
): Promise<OpenSources> {
  const { natsUrl, databases } = await attachInfrastructure(settings);
  const bus = await openBus(natsUrl, name, settings.eventStream);
  const pools = forTableServices((service) => {
    const { url: connectionString } = databaseOf({ databases }, service);
    const pool = new pg.Pool({
      connectionString,
      max: POOL_MAX_CONNECTIONS,
      pipeline: true,
      keepAlive: true,
      application_name: name,
      options: name === 'verify' ? READING : SESSION,
    });
    // A query on a lost connection fails. Without a listener, the loss of an idle one would end the process.
    pool.on('error', () => undefined);
    return pool;
  });
  return {
    natsUrl,
    databases,
    db: forTableServices((service) => openPool(pools[service])),
    bus,
    async close() {
      await Promise.all(Object.values(pools).map((pool) => pool.end()));
      await bus.close();
    },
  };
}
