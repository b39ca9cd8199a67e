import { forTableServices, TABLE_SERVICES } from '../../lib/config/service-names.ts';
import type { Settings } from '../../lib/config/settings.ts';
import { openPool } from '../../lib/db/pool.ts';
import { attachInfrastructure, type Infrastructure } from '../../lib/embedded/infrastructure.ts';
import { openBus } from '../../lib/events/stream.ts';
import { databaseOf } from '../../lib/node/resources.ts';
import { openCommandPool } from '../command-pool.ts';
import type { Sources } from './check.ts';

/** A check reads one page at a time. */
const POOL_MAX_CONNECTIONS = 2;

/** Sessions have the services' own roles. With more memory, a statement that reads a whole table needs fewer temporary files. */
const SESSION = '-c work_mem=64MB -c jit=off';
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
  const { natsUrl, databases } = await attachInfrastructure(settings, TABLE_SERVICES);
  const bus = await openBus(natsUrl, name, settings.eventStream);
  const pools = forTableServices((service) => {
    const { url } = databaseOf({ databases }, service);
    const session = name === 'verify' ? READING : SESSION;
    return openCommandPool({ url, name, max_connections: POOL_MAX_CONNECTIONS, session });
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
