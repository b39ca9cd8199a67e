import type { Metadata } from '../../../lib/contracts/metadata.ts';
import type { Db, Transaction } from '../../../lib/db/db.ts';
import type { ProblemExtras, Refusal } from '../../../lib/errors/problem.ts';
import { toMajor } from '../../../lib/money/amount.ts';
import { isId } from '../../../lib/schema/rules.ts';
import { isOpen, NOT_SETTLED, type MeetingPath, type MeetingStatus } from '../meetings/meeting.table.ts';
import { NO_FUNDS, type Funds } from '../settlement/funds.rules.ts';
import type { Missing, Share } from '../settlement/pot.rules.ts';
import type { Refund } from '../settlement/settlement.rules.ts';
import { SHEETS_IN_FLIGHT } from '../sheets/sheet.table.ts';
import { IN_FLIGHT, PAID, PENDING, SHOWN_CONTRIBUTIONS } from './contribution.table.ts';
import type { ContributionRow, DescribedContribution, ListedDue } from './contribution.table.ts';

/** The column `metadata` of a contribution `c`. */
const METADATA = `coalesce((SELECT metadata FROM contribution_metadata WHERE contribution_id = c.id), '{}') AS metadata`;

/** A contribution with the id of its transfer; null if that is its own. */
export type ShownContributionRow = DescribedContribution & { transfer_id: string | null };

/** The columns of a ShownContributionRow, of contributions `c`. A line of a meeting sheet has the transfer of the sheet. */
const SHOWN_COLUMNS = `
  c.*, ${METADATA}, (SELECT submission_id FROM submitted_lines WHERE contribution_id = c.id) AS transfer_id`;

/** Finds a contribution that clients may see; undefined if the meeting has no such contribution. */
export async function findShownContribution(
  db: Db,
  { association_id, meeting_id }: MeetingPath,
  id: string,
): Promise<ShownContributionRow | undefined> {
  return db.first(
    `SELECT ${SHOWN_COLUMNS} FROM contributions c
     WHERE id = $1 AND association_id = $2 AND meeting_id = $3 AND status IN (${SHOWN_CONTRIBUTIONS})`,
    [id, association_id, meeting_id],
  );
}

/** Returns the contribution with its metadata, which is read if the row lacks it. */
export async function withMetadata(db: Db, row: ContributionRow): Promise<DescribedContribution> {
  if (row.metadata !== undefined) return { ...row, metadata: row.metadata };
  const found = await db.first<{ metadata: Metadata }>(
    'SELECT metadata FROM contribution_metadata WHERE contribution_id = $1',
    [row.id],
  );
  return { ...row, metadata: found?.metadata ?? {} };
}

/** The sort key of the last contribution of a page. */
export type ContributionPosition = [created_at: string, id: string];

/**
 * Lists the contributions to a meeting that clients may see, newest first.
 * @returns undefined if the association has no such meeting
 */
export async function listShownContributions(
  db: Db,
  { association_id, meeting_id }: MeetingPath,
  before: ContributionPosition | null,
  limit: number,
): Promise<ShownContributionRow[] | undefined> {
  const rows = await db.rows<ShownContributionRow | { id: null }>(
    `SELECT shown.* FROM meetings m LEFT JOIN LATERAL (
       SELECT ${SHOWN_COLUMNS} FROM contributions c
       WHERE meeting_id = m.id AND status IN (${SHOWN_CONTRIBUTIONS})
         AND ($3::timestamptz IS NULL OR (created_at, id) < ($3, $4::uuid))
       ORDER BY created_at DESC, id DESC LIMIT $5
     ) AS shown ON true
     WHERE m.id = $1 AND m.association_id = $2
     ORDER BY shown.created_at DESC, shown.id DESC`,
    [meeting_id, association_id, ...(before ?? [null, null]), limit],
  );
  if (rows.length === 0) return undefined;
  // A meeting without contributions gives one row, which has only its own columns.
  return rows.filter((row): row is ShownContributionRow => row.id !== null);
}

/**
 * Which payments to a meeting are in flight: `cash` if any in cash is pending, or a meeting sheet is submitted, as no request waits
 * for people to decide it. Those that are taken back are decided within seconds, like those from wallets.
 */
export type InFlight = 'nothing' | 'wallet' | 'cash';

const IN_FLIGHT_TO = {
  name: 'contribution.in_flight_to',
  text: `SELECT CASE WHEN bool_or(method = 'cash' AND status IN (${PENDING}))
                       OR EXISTS (SELECT FROM sheet_submissions WHERE meeting_id = $1 AND status IN (${SHEETS_IN_FLIGHT}))
                     THEN 'cash'
                     WHEN count(*) > 0 THEN 'wallet' ELSE 'nothing' END AS in_flight
         FROM contributions WHERE meeting_id = $1 AND status IN (${IN_FLIGHT})`,
};

/** Reads which payments to a meeting are in flight. */
export async function findInFlight(db: Db, meeting_id: string): Promise<InFlight> {
  const row = await db.first<{ in_flight: InFlight }>(IN_FLIGHT_TO, [meeting_id]);
  return row?.in_flight ?? 'nothing';
}

const FUNDS_OF = {
  name: 'contribution.funds_of',
  text: `SELECT coalesce(sum(amount_minor) FILTER (WHERE method = 'wallet'), 0)::bigint AS emoney_minor,
           coalesce(sum(amount_minor) FILTER (WHERE method = 'cash'), 0)::bigint AS cash_minor
         FROM contributions WHERE meeting_id = $1 AND status IN (${PAID}) AND kind = 'pool'`,
};

/** Reads what was paid into a meeting's pool, in e-money and in cash. */
export async function readFunds(db: Db, meeting_id: string): Promise<Funds> {
  return (await db.first<Funds>(FUNDS_OF, [meeting_id])) ?? NO_FUNDS;
}

const PAID_INTO = {
  name: 'contribution.paid_into',
  text: `SELECT member_id, wallet_id, sum(amount_minor)::bigint AS amount_minor FROM contributions
         WHERE meeting_id = $1 AND status IN (${PAID}) AND kind = 'pool'
         GROUP BY member_id, wallet_id ORDER BY min(created_at), member_id, wallet_id`,
};

/** Lists what was paid into a meeting's pool, by member and wallet (null for cash), in the order of the first payments. */
export async function listPayments(db: Db, meeting_id: string): Promise<Refund[]> {
  return db.rows(PAID_INTO, [meeting_id]);
}

const MISSING_FOR = {
  name: 'contribution.missing_for',
  text: `SELECT cm.member_id, cm.due_minor - coalesce(d.paid_minor, 0) AS outstanding_minor, first.position
         FROM cycle_members cm
         JOIN (
           SELECT member_id, min(position) AS position FROM cycle_hands WHERE cycle_id = $1 GROUP BY member_id
         ) first ON first.member_id = cm.member_id
         LEFT JOIN dues d ON d.meeting_id = $2 AND d.member_id = cm.member_id
         WHERE cm.cycle_id = $1 AND coalesce(d.paid_minor, 0) < cm.due_minor
         ORDER BY cm.ordinal`,
};

/** Lists the members who have not paid all of a round, in join order. */
export async function listMissing(db: Db, cycle_id: string, meeting_id: string): Promise<Missing[]> {
  return db.rows(MISSING_FOR, [cycle_id, meeting_id]);
}

const SAVED_IN = {
  name: 'contribution.saved_in',
  text: `SELECT cm.member_id, sum(d.paid_minor)::bigint AS amount_minor
         FROM cycle_members cm JOIN meetings m ON m.cycle_id = cm.cycle_id
         JOIN dues d ON d.meeting_id = m.id AND d.member_id = cm.member_id
         WHERE cm.cycle_id = $1 AND d.paid_minor > 0 GROUP BY cm.member_id, cm.ordinal ORDER BY cm.ordinal`,
};

/** Lists what was paid for each member over all rounds of a cycle, in join order, without members who paid nothing. */
export async function listSavings(db: Db, cycle_id: string): Promise<Share[]> {
  return db.rows(SAVED_IN, [cycle_id]);
}

/** Resets the dues of a meeting to zero after its contributions have been refunded. */
export function clearPaid(tx: Transaction, meeting_id: string): void {
  tx.send('UPDATE dues SET taken_minor = 0, paid_minor = 0 WHERE meeting_id = $1', [meeting_id]);
}

/** Returns why nothing was taken of a due: meeting_not_open, or contribution_exceeds_due with what is left to take. */
export async function findDueRefusal(
  db: Db,
  { meeting_id, member_id, currency }: Pick<ContributionRow, 'meeting_id' | 'member_id' | 'currency'>,
  meeting_status: MeetingStatus,
): Promise<Refusal> {
  if (!isOpen(meeting_status)) return { code: 'meeting_not_open', extras: {} };
  // What is in flight counts as taken.
  const row = await db.first<{ left_minor: bigint }>(
    `SELECT cm.due_minor - coalesce(d.taken_minor, 0) AS left_minor
     FROM meetings m JOIN cycle_members cm ON cm.cycle_id = m.cycle_id AND cm.member_id = $2
     LEFT JOIN dues d ON d.meeting_id = m.id AND d.member_id = $2
     WHERE m.id = $1`,
    [meeting_id, member_id],
  );
  return { code: 'contribution_exceeds_due', extras: excessExtras(row?.left_minor ?? 0n, currency) };
}

/** Returns the extras of contribution_exceeds_due. */
export function excessExtras(left_minor: bigint, currency: string): ProblemExtras {
  return { outstanding: toMajor(left_minor, currency) };
}

/** The position before the first row of either part of LIST_DUES. */
const START: DuesPosition = { ordinal: 0, member_id: '00000000-0000-0000-0000-000000000000' };

/**
 * Lists, for a round of a cycle, the due of each member of the cycle in join order; outside a cycle, the members who have
 * paid, by id, as UUIDv7 sorts by age. One of the two parts is always empty.
 * @param ofMember the SQL condition on the member
 */
const listDuesWhere = (ofMember: string): string => `
    SELECT m.currency, due.member_id, due.due_minor, due.paid_minor, due.arrears_minor, due.place
    FROM meetings m LEFT JOIN LATERAL (
      (SELECT cm.member_id, cm.due_minor, coalesce(d.paid_minor, 0) + a.late_minor AS paid_minor, a.arrears_minor,
         cm.ordinal::text AS place, cm.ordinal
       FROM cycle_members cm
       -- OFFSET 0 makes the planner read the dues of the page by key, not all dues of the meeting.
       LEFT JOIN LATERAL (
         SELECT paid_minor FROM dues WHERE meeting_id = m.id AND member_id = cm.member_id OFFSET 0
       ) d ON true
       CROSS JOIN LATERAL (
         SELECT coalesce(sum(paid_minor), 0)::bigint AS late_minor,
           coalesce(sum(amount_minor - paid_minor), 0)::bigint AS arrears_minor
         FROM arrears WHERE meeting_id = m.id AND debtor_id = cm.member_id
       ) a
       WHERE cm.cycle_id = m.cycle_id AND cm.ordinal > $3::integer AND ${ofMember}
       ORDER BY cm.ordinal LIMIT $5)
      UNION ALL
      (SELECT member_id, 0::bigint, paid_minor, 0::bigint, member_id::text, 0
       FROM dues
       WHERE m.cycle_id IS NULL AND meeting_id = m.id AND paid_minor > 0 AND member_id > $4::uuid AND ${ofMember}
       ORDER BY dues.member_id LIMIT $5)
    ) AS due ON true
    WHERE m.id = $1 AND m.association_id = $2
    ORDER BY due.ordinal, due.member_id`;

const LIST_DUES = { name: 'contribution.list_dues', text: listDuesWhere('true') };
const LIST_DUES_OF_MEMBER = { name: 'contribution.list_dues_of_member', text: listDuesWhere('member_id = $6::uuid') };

/** A position in both parts of LIST_DUES: in a round by the place in join order, outside a cycle by the member's id. */
interface DuesPosition {
  ordinal: number;
  member_id: string;
}

/** Reads the `place` of a row, which is an ordinal or a UUID. */
function positionAt(place: string | null): DuesPosition {
  if (place === null) return START;
  return isId(place) ? { ...START, member_id: place } : { ...START, ordinal: Number(place) };
}

/** A row of LIST_DUES; if nothing is due, there is one row without a member. */
type DueRow = { currency: string } & (ListedDue | { member_id: null });

/**
 * Lists a page of what is due for a meeting, and reads its currency, in one statement.
 * @param of_member_id only of this member; null: of all
 * @param after the `place` of the last row of the previous page
 * @returns undefined if the association has no such meeting
 */
export async function listDues(
  db: Db,
  { association_id, meeting_id }: MeetingPath,
  of_member_id: string | null,
  after: string | null,
  limit: number,
): Promise<{ dues: ListedDue[]; currency: string } | undefined> {
  const { ordinal, member_id } = positionAt(after);
  const values = [meeting_id, association_id, ordinal, member_id, limit];
  const rows =
    of_member_id === null
      ? await db.rows<DueRow>(LIST_DUES, values)
      : await db.rows<DueRow>(LIST_DUES_OF_MEMBER, [...values, of_member_id]);
  if (rows[0] === undefined) return undefined;
  return { dues: rows.filter((row) => row.member_id !== null), currency: rows[0].currency };
}

/** What a member still owes for a meeting: until it is settled of their due, afterwards to its beneficiaries. */
export interface Owing {
  member_id: string;
  outstanding_minor: bigint;
  arrears_minor: bigint;
}

/** One of the two parts is always empty: a meeting has arrears only once it is settled. */
const LIST_OWING = {
  name: 'contribution.list_owing',
  text: `
    (SELECT cm.member_id, cm.due_minor - coalesce(d.paid_minor, 0) AS outstanding_minor, 0::bigint AS arrears_minor
     FROM meetings m JOIN cycle_members cm ON cm.cycle_id = m.cycle_id
     LEFT JOIN dues d ON d.meeting_id = m.id AND d.member_id = cm.member_id
     WHERE m.id = $1 AND m.status IN (${NOT_SETTLED}) AND coalesce(d.paid_minor, 0) < cm.due_minor AND cm.member_id > $2::uuid
     ORDER BY cm.member_id LIMIT $3)
    UNION ALL
    (SELECT debtor_id, 0, sum(amount_minor - paid_minor)::bigint FROM arrears
     WHERE meeting_id = $1 AND paid_minor < amount_minor AND debtor_id > $2::uuid
     GROUP BY debtor_id ORDER BY debtor_id LIMIT $3)
    ORDER BY member_id`,
};

/** Lists the members after this one, by id, who still owe something for a meeting; outside a cycle there are none. */
export async function listOwing(db: Db, meeting_id: string, after_id: string, limit: number): Promise<Owing[]> {
  return db.rows(LIST_OWING, [meeting_id, after_id, limit]);
}

/**
 * Claims the id of a contribution in cash. Another claim of this id waits until the transaction ends.
 * @returns false if the id was claimed before, and so has an outcome
 */
export async function claimCash(tx: Transaction, contribution_id: string): Promise<boolean> {
  const claimed = await tx.run('INSERT INTO cash_claims (contribution_id) VALUES ($1) ON CONFLICT DO NOTHING', [
    contribution_id,
  ]);
  return claimed === 1;
}

/** Stores why the due was not taken for the claimed cash. */
export function keepCashRefusal(tx: Transaction, contribution_id: string, refusal: Refusal): void {
  tx.send('UPDATE cash_claims SET refusal = $2 WHERE contribution_id = $1', [contribution_id, JSON.stringify(refusal)]);
}

/** Reads why the due was not taken for cash that was claimed before; null if it was taken. */
export async function readCashRefusal(tx: Transaction, contribution_id: string): Promise<Refusal | null> {
  const row = await tx.first<{ refusal: Refusal | null }>(
    'SELECT refusal FROM cash_claims WHERE contribution_id = $1',
    [contribution_id],
  );
  return row?.refusal ?? null;
}
