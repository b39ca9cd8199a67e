import type { EntityManager } from 'typeorm';
import { SWEEP_MAX_ROWS } from '../../../lib/sagas/drive-each.ts';
import { MEETING_MOVES } from '../domain/meeting-states.ts';
import { NO_FUNDS } from '../domain/monies.ts';
import type { Funds } from '../domain/monies.ts';
import { SETTLEMENT_MOVES } from '../domain/settlement-states.ts';
import { changedRows } from './changed-rows.ts';
import type { MeetingRow } from './meeting.entity.ts';
import { SettlementEntity } from './settlement.entity.ts';
import type { SettlementRow } from './settlement.entity.ts';

/*
 * The steps of a settlement or cancellation, each for a transaction of its own. Locks: meeting, settlement, dues,
 * arrears, cycle, in this order. Every step of an attempt is conditional on the meeting still holding that attempt, so
 * one that was given up for dead and wakes again does nothing.
 */

/** Takes the meeting's row for a decision about it. */
export async function lockMeeting(manager: EntityManager, id: string): Promise<MeetingRow> {
  const [row]: MeetingRow[] = await manager.query('SELECT * FROM meetings WHERE id = $1 FOR UPDATE', [id]);
  if (row === undefined) throw new Error(`Meeting ${id} is gone; meetings are never deleted`);
  return row;
}

/** Closes a meeting that the caller has locked and found open to new contributions. */
export async function beginSettling(
  manager: EntityManager,
  meeting_id: string,
  attempt_id: string,
  now: Date,
): Promise<void> {
  await manager.query('UPDATE meetings SET status = $2, attempt_id = $3, settling_since = $4 WHERE id = $1', [
    meeting_id,
    MEETING_MOVES.begin_settling.to,
    attempt_id,
    now,
  ]);
}

/** Opens the meeting again, if it still holds this attempt. */
export async function reopenMeeting(manager: EntityManager, meeting_id: string, attempt_id: string): Promise<void> {
  await manager.query(
    `UPDATE meetings SET status = $3, attempt_id = NULL, settling_since = NULL
     WHERE id = $1 AND attempt_id = $2 AND status = ANY($4)`,
    [meeting_id, attempt_id, MEETING_MOVES.reopen.to, MEETING_MOVES.reopen.from],
  );
}

/** Stores the plan of the attempt that the locked meeting holds. From now on it is driven to its end. */
export async function storePlan(manager: EntityManager, settlement: SettlementRow): Promise<void> {
  // Without `settling_since` the meeting is no longer one that a sweeper opens again.
  await manager.query('UPDATE meetings SET settling_since = NULL WHERE id = $1', [settlement.meeting_id]);
  await manager.insert(SettlementEntity, settlement);
}

/** Opens meetings whose settlement was begun before this instant and never planned. */
export async function reopenAbandoned(manager: EntityManager, begun_before: Date): Promise<void> {
  await manager.query(
    `UPDATE meetings SET status = $2, attempt_id = NULL, settling_since = NULL
     WHERE status = ANY($3) AND settling_since < $1`,
    [begun_before, MEETING_MOVES.reopen.to, MEETING_MOVES.reopen.from],
  );
}

/** Takes up plans that were left half done. */
export async function claimPlanned(manager: EntityManager, now: Date, stale_before: Date): Promise<SettlementRow[]> {
  return changedRows<SettlementRow>(
    manager,
    `UPDATE settlements SET driven_at = $1 WHERE id IN (
       SELECT id FROM settlements WHERE status = 'planned' AND driven_at < $2
       ORDER BY driven_at LIMIT $3 FOR UPDATE SKIP LOCKED)
     RETURNING *`,
    [now, stale_before, SWEEP_MAX_ROWS],
  );
}

/** Marks a plan as carried out, and its locked meeting as what it ends as; undefined if it was decided before. */
export async function markSettled(manager: EntityManager, id: string, now: Date): Promise<SettlementRow | undefined> {
  const { from, to } = SETTLEMENT_MOVES.settle;
  const [settlement] = await changedRows<SettlementRow>(
    manager,
    'UPDATE settlements SET status = $2, settled_at = $3 WHERE id = $1 AND status = ANY($4) RETURNING *',
    [id, to, now, from],
  );
  if (settlement === undefined) return undefined;
  const move = settlement.kind === 'cancellation' ? MEETING_MOVES.cancel : MEETING_MOVES.settle;
  const closed = await changedRows(
    manager,
    'UPDATE meetings SET status = $2, settled_at = $3 WHERE id = $1 AND attempt_id = $4 AND status = ANY($5) RETURNING id',
    [settlement.meeting_id, move.to, settlement.kind === 'cancellation' ? null : now, id, move.from],
  );
  if (closed.length === 0) throw new Error(`Plan ${id} is stored, but its meeting is not settling by it`);
  return settlement;
}

/** Marks a plan that the ledger refused for good, and opens its meeting again; false if it was decided before. */
export async function markRefused(
  manager: EntityManager,
  settlement: SettlementRow,
  failure_code: string,
): Promise<boolean> {
  const { from, to } = SETTLEMENT_MOVES.refuse;
  const rows = await changedRows(
    manager,
    'UPDATE settlements SET status = $2, failure_code = $3 WHERE id = $1 AND status = ANY($4) RETURNING id',
    [settlement.id, to, failure_code, from],
  );
  if (rows.length > 0) await reopenMeeting(manager, settlement.meeting_id, settlement.id);
  return rows.length > 0;
}

export async function settlementById(manager: EntityManager, id: string): Promise<SettlementRow> {
  return manager.findOneByOrFail(SettlementEntity, { id });
}

/** A plan that an earlier request of the same operation may have stored. */
export async function findSettlement(manager: EntityManager, id: string): Promise<SettlementRow | null> {
  return manager.findOneBy(SettlementEntity, { id });
}

/** What the settled rounds of a cycle brought to the treasury as savings. */
export async function savingsOf(manager: EntityManager, cycle_id: string): Promise<Funds> {
  const [row]: Funds[] = await manager.query(
    `SELECT coalesce(sum(s.savings_emoney_minor), 0)::bigint AS emoney_minor,
       coalesce(sum(s.savings_cash_minor), 0)::bigint AS cash_minor
     FROM settlements s JOIN meetings m ON m.id = s.meeting_id WHERE m.cycle_id = $1 AND s.status = $2`,
    [cycle_id, SETTLEMENT_MOVES.settle.to],
  );
  return row ?? NO_FUNDS;
}

/** The settlement of a meeting that clients may see. */
export async function findShownSettlement(
  manager: EntityManager,
  association_id: string,
  meeting_id: string,
): Promise<SettlementRow | undefined> {
  const rows: SettlementRow[] = await manager.query(
    `SELECT * FROM settlements
     WHERE association_id = $1 AND meeting_id = $2 AND status <> $3 AND kind = 'settlement'`,
    [association_id, meeting_id, SETTLEMENT_MOVES.refuse.to],
  );
  return rows[0];
}
