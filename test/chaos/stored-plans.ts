import { TABLE_SERVICES, type TableService } from '../../lib/config/service-names.ts';
import { sqlList } from '../../lib/saga/states.ts';
import { inDatabase, type Cluster, type Deployment } from '../harness/cluster.ts';
import { SAGAS } from './sagas.ts';

/** Table -> SQL condition of its rows. */
type Conditions = Record<string, string>;

/** Unfinished rows besides those of sagas. */
const UNFINISHED: Partial<Record<TableService, Conditions>> = {
  contribution: { meetings: `status = 'settling'` },
  treasury: { wallet_funding: 'transfer_id NOT IN (SELECT id FROM transfers)' },
};

/** Returns the conditions of the unfinished rows of sagas. */
function unfinishedSagas(service: TableService): Conditions {
  const own = SAGAS.filter((saga) => saga.service === service);
  return Object.fromEntries(own.map(({ table, moving }) => [table, `status IN (${sqlList(moving)})`]));
}

/** Returns the conditions of the rows that recovery continues. Cash contributions wait for a vote instead. */
function recoverableSagas(service: TableService): Conditions {
  const { contributions, ...others } = unfinishedSagas(service);
  return contributions === undefined ? others : { ...others, contributions: `${contributions} AND method = 'wallet'` };
}

/** A claim of a request, and not a key bound to another service, which is held for its life: in 0.1.0, for a day. */
const IS_CLAIM = `coalesce(held_until NOT IN ('infinity', claimed_at + interval '24 hours'), true)`;

/** Events that have not had their effects. */
const EVENTS = { outbox: 'published_at IS NULL', dead_letters: 'true' };

/** Unfinished rows in each service that owns tables. */
const EVERYWHERE = {
  ...EVENTS,
  idempotency_keys: `answer IS NULL AND ${IS_CLAIM}`,
};

/** Counts unfinished rows, as `service.table: n`. */
export function unfinished(cluster: Cluster): Promise<string[]> {
  return counted(cluster, (service) => ({ ...unfinishedSagas(service), ...UNFINISHED[service], ...EVERYWHERE }));
}

/** What the services do next by themselves, besides recovery. */
const AWAITED: Partial<Record<TableService, Conditions>> = {
  contribution: UNFINISHED.contribution ?? {},
  governance: { approvals: 'rejudge_mark IS NOT NULL' },
};

/**
 * Counts the rows that services would continue by themselves, and dead letters. The plan of a deposit whose request was not
 * repeated moves no money, and is not continued.
 */
export function unsettled(deployment: Pick<Deployment, 'adminUrl'>): Promise<string[]> {
  return counted(deployment, (service) => ({ ...recoverableSagas(service), ...AWAITED[service], ...EVENTS }));
}

/** Counts the rows that recovery would continue. */
export function recoverable(cluster: Cluster): Promise<string[]> {
  return counted(cluster, recoverableSagas);
}

async function counted(
  cluster: Pick<Deployment, 'adminUrl'>,
  conditionsOf: (service: TableService) => Conditions,
): Promise<string[]> {
  const left = TABLE_SERVICES.map((service) =>
    inDatabase(cluster, service, async (client) => {
      const found: string[] = [];
      for (const [table, where] of Object.entries(conditionsOf(service))) {
        const { rows } = await client.query<{ n: number }>(`SELECT count(*)::int AS n FROM ${table} WHERE ${where}`);
        if (rows[0]?.n !== 0) found.push(`${service}.${table}: ${String(rows[0]?.n)}`);
      }
      return found;
    }),
  );
  return (await Promise.all(left)).flat();
}

/** Ends the claims of idempotency keys, as if the time for which they are held had passed. */
export async function endHolds(cluster: Cluster): Promise<void> {
  await Promise.all(
    TABLE_SERVICES.map((service) =>
      inDatabase(cluster, service, (client) =>
        client.query(
          `UPDATE idempotency_keys SET held_until = '-infinity' WHERE held_until IS NOT NULL AND ${IS_CLAIM}`,
        ),
      ),
    ),
  );
}
