import type { MeetingReference } from '../../../lib/contracts/fields.ts';
import { OVERVIEW_MAX_ARREARS, OVERVIEW_MAX_DUES, OVERVIEW_MAX_FINES } from '../../../lib/contracts/overview.ts';
import { columnsOf } from '../../../lib/db/columns.ts';
import type { Db } from '../../../lib/db/db.ts';
import { RUNNING } from '../cycles/cycle.table.ts';
import { FINE_DUE, sumOfFines } from '../fines/fine.table.ts';
import { NOT_SETTLED } from '../meetings/meeting.table.ts';

/** A member, and the association of which they are one, with its currency. */
export interface Membership {
  association_id: string;
  member_id: string;
  currency: string;
}

/** What a member owes, is owed and will receive. The lists are JSON, so their amounts are safe integers. */
export interface FiguresRow extends Membership {
  /** Of the running cycle; null, as `due_minor`, if the member takes part in none. */
  cycle_id: string | null;
  /** What they owe for each round. */
  due_minor: bigint | null;
  /** The rounds that are not settled and not paid in full, soonest first; null if there are none. */
  dues: (MeetingReference & { round: number; paid_minor: number })[] | null;
  /** The first round that is not settled and pays a hand of the member. */
  next_turn: { meeting_id: string; round: number; due_on: string; expected_minor: number; hands: string[] } | null;
  /** What they owe from settled rounds, the oldest first; null if nothing. */
  arrears: (MeetingReference & { since: string; owes_minor: number })[] | null;
  /** Their fines that are due, the oldest first; null if there are none. */
  fines: { fine_id: string; code: string; meeting_id: string | null; assessed_at: string; left_minor: number }[] | null;
  /** The sums over all rounds and fines, even those beyond the limits of the lists. */
  owes_minor: bigint;
  is_owed_minor: bigint;
  fines_minor: bigint;
}

/** Here and below, OFFSET 0 makes the planner read each row by its key. */
const DUES = `
  SELECT m.id, m.round, m.title, m.due_on, coalesce(d.paid_minor, 0) AS paid_minor
  FROM meetings m
  LEFT JOIN LATERAL (
    SELECT paid_minor FROM dues WHERE meeting_id = m.id AND member_id = mine.member_id OFFSET 0
  ) AS d ON true
  WHERE m.cycle_id = c.id AND m.status IN (${NOT_SETTLED}) AND coalesce(d.paid_minor, 0) < cm.due_minor
  ORDER BY m.round LIMIT ${String(OVERVIEW_MAX_DUES)}`;

/** `hands` are the members of all hands that the round pays, in rotation order. A member has few hands. */
const NEXT_TURN = `
  SELECT m.id AS meeting_id, h.round, m.due_on, m.expected_minor,
    ARRAY(SELECT member_id FROM cycle_hands WHERE cycle_id = c.id AND round = h.round ORDER BY position) AS hands
  FROM cycle_hands h
  CROSS JOIN LATERAL (
    SELECT id, due_on, expected_minor FROM meetings
    WHERE cycle_id = c.id AND round = h.round AND status IN (${NOT_SETTLED}) OFFSET 0
  ) AS m
  WHERE h.cycle_id = c.id AND h.member_id = mine.member_id
  ORDER BY h.round LIMIT 1`;

const UNPAID = 'association_id = mine.association_id AND paid_minor < amount_minor';

const ARREARS = `
  SELECT m.id, m.round, m.title, m.due_on, owed.since, owed.owes_minor, owed.owes_all_minor
  FROM (
    SELECT meeting_id, min(settled_at) AS since, sum(amount_minor - paid_minor)::bigint AS owes_minor,
      sum(sum(amount_minor - paid_minor)) OVER ()::bigint AS owes_all_minor
    FROM arrears WHERE ${UNPAID} AND debtor_id = mine.member_id
    GROUP BY meeting_id ORDER BY since, meeting_id LIMIT ${String(OVERVIEW_MAX_ARREARS)}
  ) AS owed
  JOIN meetings m ON m.id = owed.meeting_id`;

const FINES = `
  SELECT id AS fine_id, code, meeting_id, assessed_at, amount_minor - paid_minor AS left_minor,
    ${sumOfFines('amount_minor - paid_minor', 'OVER ()')} AS all_minor
  FROM fines
  WHERE association_id = mine.association_id AND member_id = mine.member_id AND status IN (${FINE_DUE})
  ORDER BY assessed_at, id LIMIT ${String(OVERVIEW_MAX_FINES)}`;

const FIGURES = {
  name: 'contribution.figures_of_memberships',
  text: `
    SELECT mine.association_id, mine.member_id, mine.currency, running.cycle_id, running.due_minor, running.dues, running.next_turn,
      owed.arrears, owed.owes_minor, credit.is_owed_minor, fined.fines, fined.fines_minor
    FROM unnest($1::uuid[], $2::uuid[], $3::text[]) AS mine (association_id, member_id, currency)
    LEFT JOIN LATERAL (
      SELECT c.id AS cycle_id, cm.due_minor,
        (SELECT json_agg(due) FROM (${DUES}) AS due) AS dues,
        (SELECT to_json(turn) FROM (${NEXT_TURN}) AS turn) AS next_turn
      FROM cycles c JOIN cycle_members cm ON cm.cycle_id = c.id AND cm.member_id = mine.member_id
      WHERE c.association_id = mine.association_id AND c.status IN (${RUNNING})
    ) AS running ON true
    CROSS JOIN LATERAL (
      SELECT json_agg(arrear ORDER BY since, id) AS arrears, coalesce(max(owes_all_minor), 0) AS owes_minor
      FROM (${ARREARS}) AS arrear
    ) AS owed
    CROSS JOIN LATERAL (
      SELECT coalesce(sum(amount_minor - paid_minor), 0)::bigint AS is_owed_minor
      FROM arrears WHERE ${UNPAID} AND creditor_id = mine.member_id
    ) AS credit
    CROSS JOIN LATERAL (
      SELECT json_agg(fine ORDER BY assessed_at, fine_id) AS fines, coalesce(max(all_minor), 0) AS fines_minor
      FROM (${FINES}) AS fine
    ) AS fined`,
};

/**
 * Reads what members owe, are owed and will receive, for all their memberships in one statement and by keys. The rounds of a
 * cycle are in the order of their days.
 */
export function readFigures(db: Db, memberships: readonly Membership[]): Promise<FiguresRow[]> {
  return db.rows(FIGURES, columnsOf(memberships, 'association_id', 'member_id', 'currency'));
}
