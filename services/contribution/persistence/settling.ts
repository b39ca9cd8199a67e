import type { EntityManager } from 'typeorm';
import { rowsOf } from '../../../lib/db/rows-of.ts';
import type { Connection, Statements, Transaction } from '../../../lib/db/statements.ts';
import { SWEEP_MAX_ROWS } from '../../../lib/saga/drive-each.ts';
import { MEETING_MOVES } from '../domain/meeting-states.ts';
import { NO_FUNDS } from '../domain/monies.ts';
import type { Funds } from '../domain/monies.ts';
import { SETTLEMENT_MOVES } from '../domain/settlement-states.ts';
import type { MeetingRow } from './meeting.entity.ts';
import { SettlementEntity } from './settlement.entity.ts';
import type { SettlementRow } from './settlement.entity.ts';

/*
 * The steps of a settlement or cancellation until it is planned, and what reads it. Locks: meeting, settlement, cycle,
 * dues, arrears, in this order. Every step of an attempt is conditional on the meeting still holding that attempt, so
 * one that was given up for dead and wakes again does nothing.
 */

const LOCK_MEETING = {
  name: 'contribution.lock_meeting',
  text: 'SELECT * FROM meetings WHERE id = $1 FOR UPDATE',
};

/** Takes the meeting's row for a decision about it. */
export async function lockMeeting(connection: Connection, id: string): Promise<MeetingRow> {
  const [row] = await connection.rows<MeetingRow>(LOCK_MEETING, [id]);
  if (row === undefined) throw new Error(`Meeting ${id} is gone; meetings are never deleted`);
  return row;
}

const BEGIN_SETTLING = {
  name: 'contribution.begin_settling',
  text: `UPDATE meetings SET status = '${MEETING_MOVES.begin_settling.to}', attempt_id = $2, settling_since = $3
         WHERE id = $1`,
};

/** Closes a meeting that the caller has locked and found open to new contributions. */
export function beginSettling({ closing }: Transaction, meeting_id: string, attempt_id: string, now: Date): void {
  closing.write(BEGIN_SETTLING, [meeting_id, attempt_id, now]);
}

/** Opens the meeting again, if it still holds this attempt. */
export async function reopenMeeting(statements: Statements, meeting_id: string, attempt_id: string): Promise<void> {
  await statements.query(
    `UPDATE meetings SET status = $3, attempt_id = NULL, settling_since = NULL
     WHERE id = $1 AND attempt_id = $2 AND status = ANY($4)`,
    [meeting_id, attempt_id, MEETING_MOVES.reopen.to, MEETING_MOVES.reopen.from],
  );
}

/** Without `settling_since` the meeting is not one that a sweeper opens again. */
const STORE_PLAN = {
  name: 'contribution.store_plan',
  text: `
    WITH closed AS (
      UPDATE meetings SET status = '${MEETING_MOVES.begin_settling.to}', attempt_id = $1, settling_since = NULL
      WHERE id = $4
    )
    INSERT INTO settlements (id, kind, association_id, meeting_id, status, currency, collected_minor, expected_minor,
      paid_out_minor, to_treasury_minor, savings_emoney_minor, savings_cash_minor, payouts, legs, claims,
      rules_version, settled_by_member_id, created_at, driven_at)
    VALUES ($1, $2, $3, $4, '${SETTLEMENT_MOVES.settle.from[0]}', $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16,
      $17, $17)`,
};

/**
 * Stores the plan of an attempt for the locked meeting, which is closed to contributions if it was not before. From now
 * on it is driven to its end.
 */
export function storePlan({ closing }: Transaction, planned: SettlementRow): void {
  closing.write(STORE_PLAN, [
    planned.id,
    planned.kind,
    planned.association_id,
    planned.meeting_id,
    planned.currency,
    planned.collected_minor,
    planned.expected_minor,
    planned.paid_out_minor,
    planned.to_treasury_minor,
    planned.savings_emoney_minor,
    planned.savings_cash_minor,
    JSON.stringify(planned.payouts),
    JSON.stringify(planned.legs),
    JSON.stringify(planned.claims),
    planned.rules_version,
    planned.settled_by_member_id,
    planned.created_at,
  ]);
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
  return rowsOf<SettlementRow>(
    manager,
    `UPDATE settlements SET driven_at = $1 WHERE id IN (
       SELECT id FROM settlements WHERE status = 'planned' AND driven_at < $2
       ORDER BY driven_at LIMIT $3 FOR UPDATE SKIP LOCKED)
     RETURNING *`,
    [now, stale_before, SWEEP_MAX_ROWS],
  );
}

/** A plan as it stands now. */
export async function settlementById(manager: EntityManager, id: string): Promise<SettlementRow> {
  return manager.findOneByOrFail(SettlementEntity, { id });
}

/** A plan that an earlier request of the same operation may have stored. */
export async function findSettlement(manager: EntityManager, id: string): Promise<SettlementRow | null> {
  return manager.findOneBy(SettlementEntity, { id });
}

const SAVINGS_OF = {
  name: 'contribution.savings_of',
  text: `SELECT coalesce(sum(s.savings_emoney_minor), 0)::bigint AS emoney_minor,
           coalesce(sum(s.savings_cash_minor), 0)::bigint AS cash_minor
         FROM settlements s JOIN meetings m ON m.id = s.meeting_id
         WHERE m.cycle_id = $1 AND s.status = '${SETTLEMENT_MOVES.settle.to}'`,
};

/** What the settled rounds of a cycle brought to the treasury as savings. */
export async function savingsOf(connection: Connection, cycle_id: string): Promise<Funds> {
  const [row] = await connection.rows<Funds>(SAVINGS_OF, [cycle_id]);
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
