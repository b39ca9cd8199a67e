import { call, type CanCall } from '@association-service/contracts/moleculer';
import type { Log } from '@association-service/contracts/service';
import type { Sql } from '@association-service/contracts/subscriber';
import { tell } from '../contracts.ts';
import { DAY_MS } from '../times.rules.ts';
import { deleteUntold, listUntold, markTold, type Notice } from './notice.store.ts';

/** How many notices one run tells, or gives up. There are few. */
const RUN_MAX_NOTICES = 100;

/** A notice that could not be told for so long would be no news: the owner has most likely seen that events are missing. */
const NOTICE_LIFE_MS = 3 * DAY_MS;

export interface NoticeDeps {
  db: Pick<Sql, 'rows' | 'run'>;
  broker: CanCall;
  /** See isServed(). */
  canTell: () => boolean;
  clock: () => Date;
  reached: (step: string) => Promise<void>;
  log: Pick<Log, 'warn'>;
}

/**
 * Tells the owners of disabled endpoints, through the service that sends messages to users. A notice that is told twice is sent once
 * there. Without such a service, notices wait until they are given up.
 * @throws Error if some could not be told, after the others were: the next run tries them again
 */
export async function tellOwners(deps: NoticeDeps): Promise<void> {
  const { db, clock, log } = deps;
  const failures = deps.canTell() ? await tellAll(deps) : [];
  const before = new Date(clock().getTime() - NOTICE_LIFE_MS);
  for (const { id, webhook_id } of await deleteUntold(db, before, RUN_MAX_NOTICES)) {
    log.warn('the owner of a disabled endpoint was not told', { notice_id: id, webhook_id });
  }
  const [first] = failures;
  if (first === undefined) return;
  throw new Error(`${String(failures.length)} notices were not told, ${first.id} among them`, { cause: first.cause });
}

/** Tells each, so that none waits for one that cannot be told. @returns those that could not, and why */
async function tellAll(deps: NoticeDeps): Promise<{ id: string; cause: unknown }[]> {
  const failures: { id: string; cause: unknown }[] = [];
  const notices = await listUntold(deps.db, RUN_MAX_NOTICES);
  const told = notices.map(async (notice) => {
    try {
      await tellOne(deps, notice);
    } catch (cause) {
      failures.push({ id: notice.id, cause });
    }
  });
  await Promise.all(told);
  return failures;
}

/**
 * Whether a process of the service that sends messages to users is known: not every operator runs it, and Moleculer logs a warning for
 * each call of an action that no process has.
 */
export function isServed({ registry }: CanCall): boolean {
  // The list is undefined for an action that no process has ever had, which is not in Moleculer's types.
  const endpoints = registry?.getActionEndpoints(tell.name) as { hasAvailable(): boolean } | undefined;
  return endpoints?.hasAvailable() === true;
}

async function tellOne(
  { db, broker, clock, reached }: NoticeDeps,
  { id, user_id, association_id, url_host }: Notice,
): Promise<void> {
  await call(broker, tell, { notice_id: id, user_id, association_id, kind: 'webhook_disabled', url_host });
  await reached('webhooks.notice.told');
  await markTold(db, id, clock());
}
