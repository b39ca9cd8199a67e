import type { Transaction } from '../../../lib/db/db.ts';
import { insertRows } from '../../../lib/db/table.ts';
import type { EventData } from '../../../lib/contracts/events.ts';
import { zoneOf } from '../../../lib/contracts/membership.ts';
import { storeLateChecks } from '../meetings/late-check.store.ts';
import { meetings, type MeetingRow } from '../meetings/meeting.table.ts';
import { lateChecksOf, planCycle, type Bound } from './cycle.saga.ts';
import { insertRotation } from './cycle.store.ts';
import { cycles, type CycleRow } from './cycle.table.ts';
import { sortByJoining } from './rotation.rules.ts';

/** A cycle that a restored database has lost, as its events and membership have it. */
export interface LostCycle {
  association_id: string;
  started: EventData['cycle.started'];
  started_at: Date;
  /** The ids of its meetings, by round. */
  meeting_ids: readonly string[];
  /** The members that membership has bound to it, and the association's terms. */
  bound: Bound;
}

/**
 * Plans a lost cycle again from its seed and its members, and stores it with its rounds.
 * @returns why that is not possible, with nothing changed; null if it is stored
 */
export async function redoCycle(tx: Transaction, lost: LostCycle): Promise<string | null> {
  const { started, association_id, started_at, meeting_ids, bound } = lost;
  const { cycle_id: id, number, rounds, starts_on, order: rotation_order, seed } = started;
  if (rotation_order === 'manual') return 'no event has the order that was given by hand';
  if (meeting_ids.length !== rounds) return 'not all of its meetings are recorded';
  const ids = meeting_ids.values();
  const runtime = {
    randomBytes: () => Buffer.from(seed ?? '', 'hex'),
    newId: () => ids.next().value ?? '',
    clock: () => started_at,
  };
  const time_zone = zoneOf(bound.terms);
  const asked = { ...NOTHING_YET, id, association_id, rotation_order, starts_on, time_zone, created_at: started_at };
  const found: CycleRow = { ...asked, rounds: rotation_order === null ? rounds : null, last_attempt_at: started_at };
  const plan = planCycle({ runtime }, found, bound);
  if ('refused' in plan || plan.rounds.length !== rounds) return 'its members make another rotation';
  // The order by hand is null by default, and insertRows() cannot write a column of arrays.
  const columns = Object.entries({ ...plan.cycle, number, status: 'running' }).filter(
    ([name]) => name !== 'member_order',
  );
  await insertRows(tx, cycles, [Object.fromEntries(columns) as Partial<CycleRow>]);
  await insertRotation(tx, plan.cycle, sortByJoining(bound.members), plan.rotation.hands);
  await insertRows(tx, meetings, plan.rounds.map(asMeeting));
  storeLateChecks(tx, lateChecksOf(plan.rounds, plan.cycle));
  return null;
}

/** The columns that a starting cycle does not have yet; those of the terms are set by its plan. */
const NOTHING_YET = {
  number: null,
  status: 'starting',
  member_order: null,
  frequency: 'monthly',
  currency: '',
  contribution_amount_minor: 0n,
  rules: {} as CycleRow['rules'],
  rules_version: 0,
  hands_total: null,
  seed: null,
  refusal: null,
} as const;

/** Stores a lost meeting outside a cycle. */
export async function redoMeeting(
  tx: Transaction,
  lost: Pick<MeetingRow, 'id' | 'association_id' | 'due_on' | 'currency' | 'created_at'>,
): Promise<void> {
  const outside = { cycle_id: null, round: null, status: 'open' as const, expected_minor: 0n };
  await insertRows(tx, meetings, [asMeeting({ ...lost, ...outside })]);
}

function asMeeting(row: Omit<MeetingRow, 'title' | 'attempt_id' | 'settling_since' | 'settled_at'>): MeetingRow {
  return { ...row, title: null, attempt_id: null, settling_since: null, settled_at: null };
}
