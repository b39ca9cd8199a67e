import type pg from 'pg';
import { databaseAvailable, poolConnections, poolMaxConnections, poolPendingRequests } from '../telemetry/metrics.ts';
import { beforeScrape } from '../telemetry/scrape.ts';

/** Measures a pool's connections at each scrape. @returns a function that ends it */
export function measurePool(name: string, pool: pg.Pool): () => void {
  const label = { db_client_connection_pool_name: name };
  const stop = beforeScrape('pools', () => {
    const { totalCount, idleCount, waitingCount } = pool;
    poolConnections.set({ ...label, db_client_connection_state: 'idle' }, idleCount);
    poolConnections.set({ ...label, db_client_connection_state: 'used' }, totalCount - idleCount);
    poolMaxConnections.set(label, pool.options.max);
    poolPendingRequests.set(label, waitingCount);
    return Promise.resolve();
  });
  return () => {
    stop();
    for (const state of ['idle', 'used']) poolConnections.remove({ ...label, db_client_connection_state: state });
    poolMaxConnections.remove(label);
    poolPendingRequests.remove(label);
  };
}

/** Measures whether a database can be used. @returns a function that ends it */
export function measureAvailability(db_namespace: string, availability: { fault(): Error | undefined }): () => void {
  const stop = beforeScrape('databases', () => {
    databaseAvailable.set({ db_namespace }, availability.fault() === undefined ? 1 : 0);
    return Promise.resolve();
  });
  return () => {
    stop();
    databaseAvailable.remove({ db_namespace });
  };
}
