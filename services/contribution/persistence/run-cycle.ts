import type { EntityManager } from 'typeorm';
import { rowsOf } from '../../../lib/db/rows-of.ts';
import { CYCLE_MOVES } from '../domain/cycle-states.ts';
import type { PinnedMember, Rotation } from '../domain/rotation.ts';
import type { CycleRow } from './cycle.entity.ts';

/** A round to be stored. */
export interface PlannedMeeting {
  id: string;
  round: number;
  due_on: string;
}

export interface RunningCycle {
  /** With the terms as membership pinned them, and the seed of a draw. */
  cycle: CycleRow;
  /** In natural order. */
  members: readonly PinnedMember[];
  rotation: Rotation;
  meetings: readonly PlannedMeeting[];
  expected_minor: bigint;
  now: Date;
}

/**
 * Makes a starting cycle run, with its members, hands and meetings: one statement for each table.
 * @returns its number, or undefined if it was not starting any more; nothing is stored then
 */
export async function storeRunningCycle(manager: EntityManager, plan: RunningCycle): Promise<number | undefined> {
  const number = await run(manager, plan);
  if (number === undefined) return undefined;
  const { cycle, members, rotation, meetings } = plan;
  await manager.query(
    `INSERT INTO cycle_members (cycle_id, member_id, hands, ordinal)
     SELECT $1::uuid, member_id, hands, ordinal
     FROM unnest($2::uuid[], $3::integer[]) WITH ORDINALITY AS pinned (member_id, hands, ordinal)`,
    [cycle.id, members.map((member) => member.member_id), members.map((member) => member.hands)],
  );
  await manager.query(
    `INSERT INTO cycle_hands (cycle_id, position, member_id, round)
     SELECT $1::uuid, position, member_id, round FROM unnest($2::integer[], $3::uuid[], $4::integer[])
       AS hands (position, member_id, round)`,
    [
      cycle.id,
      rotation.hands.map((hand) => hand.position),
      rotation.hands.map((hand) => hand.member_id),
      rotation.hands.map((hand) => hand.round),
    ],
  );
  await manager.query(
    `INSERT INTO meetings (id, association_id, cycle_id, round, due_on, status, currency, expected_minor, created_at)
     SELECT id, $1::uuid, $2::uuid, round, due_on, 'open', $3::text, $4::bigint, $5::timestamptz FROM unnest($6::uuid[], $7::integer[], $8::date[])
       AS rounds (id, round, due_on)`,
    [
      cycle.association_id,
      cycle.id,
      cycle.currency,
      plan.expected_minor,
      plan.now,
      meetings.map((meeting) => meeting.id),
      meetings.map((meeting) => meeting.round),
      meetings.map((meeting) => meeting.due_on),
    ],
  );
  return number;
}

/** Numbers are given one after another: only one cycle of an association can be starting. */
async function run(manager: EntityManager, { cycle, rotation }: RunningCycle): Promise<number | undefined> {
  const { from, to } = CYCLE_MOVES.run;
  const rows = await rowsOf<{ number: number }>(
    manager,
    `UPDATE cycles SET status = $2, frequency = $4, currency = $5, contribution_amount_minor = $6, rules = $7,
       rules_version = $8, hands_total = $9, rounds = $10, seed = $11,
       number = 1 + (SELECT coalesce(max(number), 0) FROM cycles other WHERE other.association_id = cycles.association_id)
     WHERE id = $1 AND status = ANY($3) RETURNING number`,
    [
      cycle.id,
      to,
      from,
      cycle.frequency,
      cycle.currency,
      cycle.contribution_amount_minor,
      JSON.stringify(cycle.rules),
      cycle.rules_version,
      rotation.hands_total,
      rotation.rounds,
      cycle.seed,
    ],
  );
  return rows[0]?.number;
}
