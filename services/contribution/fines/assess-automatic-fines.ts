import type { Logger } from 'moleculer';
import { addPeriods } from '../../../lib/calendar/calendar.ts';
import { dayIn } from '../../../lib/calendar/zones.ts';
import { completeRules } from '../../../lib/contracts/membership.ts';
import type { Transaction } from '../../../lib/db/db.ts';
import { runEach, type RecurringJob } from '../../../lib/service/recurring-job.ts';
import type { ServiceContext } from '../../../lib/service/service-context.ts';
import { findCycleRules } from '../cycles/cycle.store.ts';
import type { MeetingRow } from '../meetings/meeting.table.ts';
import type { SettlementFines, SettlementRow } from '../settlement/settlement.table.ts';
import {
  listLateMeetings,
  lockLateMeeting,
  setLateCheck,
  storeLateChecks,
  type LateMeeting,
} from '../meetings/late-check.store.ts';
import { attendanceFines, firstLateDay, lateFines, type AssessedFine } from './fine.rules.ts';
import { insertFines, isInFlight, listDebtors, listFinable, listFined, type NewFine } from './fine.store.ts';
import type { FineRow } from './fine.table.ts';
import { assessedFact } from './fine.view.ts';

/** Bounds the memory of one run. */
const PAGE_ROWS = 500;

/** Fines of one transaction, with their events: a few tens of milliseconds, during which the process serves nothing else. */
const FINES_AT_ONCE = 1_000;

/** The zone in which a day begins first, so that no meeting is looked at too late. */
const EARLIEST_ZONE = 'Pacific/Kiritimati';

type FineContext = Pick<ServiceContext, 'db' | 'outbox' | 'runtime'>;

/** Returns the job that assesses fines for late payments. */
export function latePaymentsJob(context: FineContext, every_ms: number, log: Logger): RecurringJob {
  return {
    name: 'fines for late payments',
    every_ms,
    followsClock: true,
    run: () => assessLatePayments(context, log),
  };
}

/** Assesses the fines of all rounds whose day has come in their time zones. */
async function assessLatePayments(context: FineContext, log: Logger): Promise<void> {
  const { db, runtime } = context;
  const now = runtime.clock();
  const isDue = ({ check_on, time_zone }: LateMeeting) => check_on <= dayIn(time_zone, now);
  const assessPart = (id: string) =>
    db.transaction(async (tx) => {
      const meeting = await lockLateMeeting(tx, id);
      // Another process may have looked at it since the list was read.
      if (meeting === undefined || !isDue(meeting)) return true;
      return assessMeeting(context, tx, meeting, dayIn(meeting.time_zone, now), now);
    });
  let page: LateMeeting[] = [];
  do {
    page = await listLateMeetings(db, dayIn(EARLIEST_ZONE, now), page.at(-1), PAGE_ROWS);
    // One after another, so that requests get connections.
    for (const late of page.filter(isDue)) {
      await runEach(log, 'fines for late payments', [late], async ({ id }) => {
        let isDone = false;
        while (!isDone) isDone = await assessPart(id);
      });
    }
  } while (page.length === PAGE_ROWS);
}

/** Stores the new day of a round, and when it is first looked at for late payments. Fines that exist already stay. */
export async function storeDueDay(
  tx: Transaction,
  cycle_id: string,
  { id: meeting_id, due_on }: Pick<MeetingRow, 'id' | 'due_on'>,
  now: Date,
): Promise<void> {
  const { rules, time_zone } = await findCycleRules(tx, cycle_id);
  const check_on = firstLateDay(due_on, rules.fines);
  if (check_on !== null) storeLateChecks(tx, [{ meeting_id, check_on, day_set_on: dayIn(time_zone, now) }]);
}

/**
 * Assesses what is due for one locked meeting, and stores when it must be looked at again.
 * @returns false if more fines are due than one transaction stores; the next one continues
 */
async function assessMeeting(
  context: FineContext,
  tx: Transaction,
  meeting: LateMeeting,
  today: string,
  now: Date,
): Promise<boolean> {
  const { id, status, currency, rules, rules_version, association_id } = meeting;
  const [debtors, assessed, in_flight] = await Promise.all([
    listDebtors(tx, id, status === 'settled'),
    listFined(tx, id),
    isInFlight(tx, id),
  ]);
  const due = lateFines(meeting, completeRules(rules).fines, today, currency, debtors, assessed);
  const added = due.take(FINES_AT_ONCE).toArray();
  await storeFines(context, tx, added, { association_id, meeting_id: id, currency, rules_version }, now);
  if (added.length === FINES_AT_ONCE) return false;
  const isOver = debtors.length === 0 && !in_flight;
  setLateCheck(tx, id, isOver ? null : addPeriods(today, 'daily', 1));
  return true;
}

/**
 * Assesses the fines of a settlement for absence and lateness, in the transaction that ends its meeting.
 * @param fines the rules, and who is not fined; null if there are no rules
 */
export async function assessAttendance(
  context: FineContext,
  tx: Transaction,
  { association_id, meeting_id, currency, rules_version }: SettlementRow,
  fines: SettlementFines | null,
): Promise<void> {
  if (fines === null) return;
  const finable = (await listFinable(tx, meeting_id)).filter(({ member_id }) => !fines.not_fined.includes(member_id));
  const added = attendanceFines(fines.rules, currency, finable);
  const about = { association_id, meeting_id, currency, rules_version };
  await storeFines(context, tx, added, about, context.runtime.clock());
}

/** Stores fines that the service assesses, with their events. Those that exist already stay as they are. */
async function storeFines(
  { outbox, runtime }: FineContext,
  tx: Transaction,
  assessed: readonly AssessedFine[],
  about: Pick<FineRow, 'association_id' | 'meeting_id' | 'currency' | 'rules_version'>,
  now: Date,
): Promise<void> {
  const rows = assessed.map((fine): NewFine => {
    return {
      ...about,
      ...fine,
      id: runtime.newId(),
      reason: null,
      assessed_by_member_id: null,
      assessed_at: now,
    };
  });
  const stored = await insertFines(tx, rows);
  outbox.append(tx, ...stored.map(assessedFact));
}
