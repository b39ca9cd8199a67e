import { setTimeout as sleep } from 'node:timers/promises';
import { forTableServices, TABLE_SERVICES, type TableService } from '../../lib/config/service-names.ts';
import { StartupError } from '../../lib/config/startup-error.ts';
import { STREAM } from '../../lib/contracts/events.ts';
import type { Pool, Transaction } from '../../lib/db/db.ts';
import { Outbox } from '../../lib/events/outbox.ts';
import type { Sources } from '../verify/check.ts';
import { findLostEvents, findOutdatedConsumers, keepEvents, markPublished } from './redo-events.ts';
import { listLostRecords } from './list-lost-records.ts';
import { redoContributions } from './redo-contributions.ts';
import { redoCorrections } from './redo-corrections.ts';
import { redoOwedTransfers, redoRecordedTransfers, redoWallets } from './redo-ledger.ts';
import { redoApprovals, redoExecutions } from './redo-approvals.ts';
import { redoKeys } from './redo-keys.ts';
import { redoMembers } from './redo-members.ts';
import { redoPins } from './redo-pins.ts';
import { redoRequests } from './redo-requests.ts';
import { redoMeetings } from './redo-meetings.ts';
import { LostEvents, type Repair } from './repair.ts';

/** What a repair does, or would do. */
export interface Plan {
  /** By kind, one line each. */
  done: Map<string, string[]>;
  /** What no record decides, one line each. Two steps may meet the same record. */
  undecided: Set<string>;
}

/** The steps, in an order in which each finds what it needs: the ledger before the records that its transfers prove. */
const STEPS: readonly ((repair: Repair) => Promise<void>)[] = [
  redoMembers,
  redoPins,
  redoWallets,
  redoRecordedTransfers,
  redoRequests,
  redoCorrections,
  redoApprovals,
  redoMeetings,
  redoContributions,
  listLostRecords,
  redoOwedTransfers,
  redoExecutions,
  redoKeys,
  keepEvents,
  markPublished,
];

/** Rolls back a dry run. */
class DryRun extends Error {}

/**
 * Brings databases together that were restored to different instants. A dry run does the same and rolls it back, so that
 * its plan is exact. Each database has one transaction: a repair that is interrupted between two commits is repeated.
 * @param archive_dir the directory with the files of archived events
 * @throws StartupError while a service runs, or if archived events are needed and `archive_dir` does not have them
 */
export async function repairDatabases(
  { db, bus }: Sources,
  runtime: Repair['runtime'],
  isApplied: boolean,
  archive_dir?: string,
): Promise<Plan> {
  await requireStopped(db);
  const plan: Plan = { done: new Map(), undecided: new Set() };
  const note = (kind: string, text: string): void => {
    const lines = plan.done.get(kind);
    if (lines === undefined) plan.done.set(kind, [text]);
    else lines.push(text);
  };
  const lost = new LostEvents(await findLostEvents(db, bus));
  const outbox = forTableServices((service) => new Outbox(service, runtime.clock, runtime.newId));
  try {
    await inTransactions(db, async (tx) => {
      const cannot = (text: string) => plan.undecided.add(text);
      const repair: Repair = { tx, outbox, bus, runtime, lost, archive_dir, did: note, cannot };
      for (const step of STEPS) await step(repair);
      if (!isApplied) throw new DryRun();
    });
  } catch (error) {
    if (!(error instanceof DryRun)) throw error;
  }
  // After the commits: events may be delivered again only to repaired records.
  for (const { name, service } of await findOutdatedConsumers({ db, bus })) {
    if (isApplied) await bus.manager.consumers.delete(STREAM, name);
    note('subscriptions', `deliver all events of ${name} again, as the inbox of ${service} lacks some`);
  }
  return plan;
}

/** Runs `work` in a transaction of each database. The treasury's is committed last. */
async function inTransactions(
  db: Sources['db'],
  work: (tx: Record<TableService, Transaction>) => Promise<void>,
): Promise<void> {
  const open = async (
    [service, ...others]: readonly TableService[],
    tx: Partial<Record<TableService, Transaction>>,
  ) => {
    if (service === undefined) await work(tx as Record<TableService, Transaction>);
    else await db[service].transaction((own) => open(others, { ...tx, [service]: own }));
  };
  await open(['treasury', ...TABLE_SERVICES.filter((service) => service !== 'treasury')], {});
}

/** Longer than a lease lasts that nothing renews, such as that of a killed process or of a restored database. */
const LEASE_ENDS_WITHIN_MS = 5_000;
const LEASE_POLL_MS = 250;

/** @throws StartupError if a relay keeps the lease of an outbox: then its service runs */
async function requireStopped(db: Record<TableService, Pool>): Promise<void> {
  const end_ms = performance.now() + LEASE_ENDS_WITHIN_MS;
  for (const service of TABLE_SERVICES) {
    const isHeld = () => db[service].first('SELECT FROM outbox_lease WHERE expires_at > clock_timestamp()');
    for (; (await isHeld()) !== undefined; await sleep(LEASE_POLL_MS)) {
      if (performance.now() < end_ms) continue;
      throw new StartupError(`${service} is running: stop all services, and leave PostgreSQL and NATS running.`);
    }
  }
}
