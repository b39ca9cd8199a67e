/**
 * The statements of a payment into a meeting's pool: find the meeting, take the due, mark the payment as paid. Payments are
 * the most frequent writes, so each statement is a group commit.
 */
import { storedMetadata, type Metadata } from '../../../lib/contracts/metadata.ts';
import { columnsOf } from '../../../lib/db/columns.ts';
import type { Db, Pool, Transaction } from '../../../lib/db/db.ts';
import { columnList } from '../../../lib/db/table.ts';
import { groupCommit } from '../../../lib/db/group-commit.ts';
import type { OutboxRow } from '../../../lib/events/outbox.ts';
import type { Clock } from '../../../lib/node/clock.ts';
import type { Refusal } from '../../../lib/errors/problem.ts';
import type { HeldClaim } from '../../../lib/idempotency/claims.ts';
import { inFlight } from '../../../lib/idempotency/operation.ts';
import type { Attempt } from '../../../lib/saga/saga.ts';
import { repeatLateCheck } from '../meetings/late-check.store.ts';
import { OPEN, OWING, type MeetingPath, type MeetingStatus } from '../meetings/meeting.table.ts';
import { findDueRefusal } from './contribution.store.ts';
import { contributions, PENDING, type ContributionRow } from './contribution.table.ts';

export interface PaymentBatches {
  /** Finds a meeting in any status; undefined if the association has no such meeting. */
  findMeetingToPay(path: MeetingPath): Promise<MeetingToPay | undefined>;
  /** Takes the amount of the due and stores the contribution, or does neither. */
  takeDue(contribution: NewContribution): Promise<TakenDue>;
  /** Marks a pending contribution as paid; undefined if it was decided before. */
  markPaid(payment: PaidContribution & DueKey): Promise<ContributionRow | undefined>;
}

type DueKey = Pick<ContributionRow, 'meeting_id' | 'member_id'>;

/** Returns the key of a payment's due. A statement can change a due only once, so a batch has one payment for each due. */
const keyOfDue = ({ meeting_id, member_id }: DueKey) => `${meeting_id}/${member_id}`;

/**
 * Creates the group commits of payments.
 * @param batches runs the batches
 * @param db runs single statements that have to wait for a lock
 */
export function batchPayments(batches: Pool, db: Pool, clock: Clock): PaymentBatches {
  const takeTogether = groupCommit(
    'contributions',
    (contributions: NewContribution[]) => takeDues(batches, contributions),
    {
      runOne: (contribution) => takeDue(db, contribution),
      keyOf: keyOfDue,
    },
  );
  return {
    findMeetingToPay: groupCommit('meetings_to_pay', (paths: MeetingPath[]) => findMeetingsToPay(batches, paths), {
      // A migration may lock a table for longer than a batch waits.
      runOne: async (path) => (await findMeetingsToPay(db, [path]))[0],
    }),
    takeDue: async (contribution) => (await takeTogether(contribution)) ?? takeDue(db, contribution),
    markPaid: groupCommit(
      'paid_contributions',
      (payments: (PaidContribution & DueKey)[]) => markAllPaid(batches, payments, clock()),
      {
        runOne: async (payment) => (await markAllPaid(db, [payment], clock()))[0],
        keyOf: keyOfDue,
      },
    ),
  };
}

/** What a payment needs to know about its meeting before it is authorized. */
export interface MeetingToPay {
  id: string;
  association_id: string;
  cycle_id: string | null;
  currency: string;
  status: MeetingStatus;
  /** The beneficiaries of a settled round, who may be owed arrears from it; otherwise null. */
  beneficiary_ids: string[] | null;
}

const FIND_MEETINGS_TO_PAY = {
  name: 'contribution.find_payable_meetings',
  text: `
    SELECT id, association_id, cycle_id, currency, status,
      CASE WHEN status IN (${OWING}) THEN ARRAY(
        SELECT DISTINCT h.member_id FROM cycle_hands h WHERE h.cycle_id = m.cycle_id AND h.round = m.round
      ) END AS beneficiary_ids
    FROM meetings m WHERE id = ANY($1::uuid[])`,
};

/** Finds meetings in any status. The status is checked when the due or the arrears are taken. */
export async function findMeetingsToPay(db: Db, paths: readonly MeetingPath[]): Promise<(MeetingToPay | undefined)[]> {
  const ids = [...new Set(paths.map((path) => path.meeting_id))];
  const rows = await db.rows<MeetingToPay>(FIND_MEETINGS_TO_PAY, [ids]);
  const byId = new Map(rows.map((row) => [row.id, row]));
  return paths.map(({ association_id, meeting_id }) => {
    const found = byId.get(meeting_id);
    return found?.association_id === association_id ? found : undefined;
  });
}

/** A new contribution to a meeting's pool; in cash if it has neither wallet nor payer. */
export type NewContribution = Pick<
  ContributionRow,
  | 'id'
  | 'meeting_id'
  | 'member_id'
  | 'paid_by_member_id'
  | 'payer_user_id'
  | 'wallet_id'
  | 'amount_minor'
  | 'created_at'
  | 'metadata'
> & {
  /** The gateway's statement for the treasury that the payer has called; absent for cash. */
  statement?: string | undefined;
  /** The claim of the request's key, which must still be held; absent without a key. Its operation has the contribution's id. */
  claim?: Pick<HeldClaim, 'key' | 'claimed_at'> | undefined;
};

export interface TakenDue {
  meeting_status: MeetingStatus;
  /** What is left of the due; null if nothing was taken and the contribution was not stored. */
  outstanding_minor: bigint | null;
  /** Whether no repeat has taken the request over. If one has, nothing is taken: it may have been refused. */
  is_held: boolean;
}

/**
 * Takes amounts of dues and stores the pending contributions in one statement, each only if its amount could be taken. It
 * share-locks the meetings' rows first, so that a settlement sees all of a contribution or nothing of it. The lock on a
 * due's row decides between concurrent payments of the due.
 * Lock order: claims of keys, meetings by id, then dues by meeting and member.
 */
const takeDuesWith = (lock: 'FOR SHARE' | 'FOR SHARE SKIP LOCKED'): string => `
  WITH asked AS (
    SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::bigint[], $4::uuid[], $5::uuid[], $6::text[], $7::text[],
                         $8::timestamptz[], $9::text[], $10::text[], $11::timestamptz[], $12::json[])
      AS asked (meeting_id, member_id, amount_minor, id, paid_by_member_id, payer_user_id, wallet_id, now, statement,
                key, claimed_at, metadata)
  ), held AS (
    SELECT k.operation_id FROM asked JOIN idempotency_keys k ON k.user_id = asked.payer_user_id AND k.key = asked.key
    WHERE k.operation_id = asked.id AND k.claimed_at = asked.claimed_at AND k.answer IS NULL
    FOR SHARE OF k
  ), meeting AS (
    SELECT id, association_id, cycle_id, status, currency FROM meetings WHERE id = ANY($1::uuid[])
    ORDER BY id ${lock}
  ), terms AS (
    SELECT asked.*, m.association_id, m.cycle_id, m.status, m.currency, cm.due_minor,
      asked.key IS NULL OR asked.id IN (SELECT operation_id FROM held) AS is_held
    FROM asked JOIN meeting m ON m.id = asked.meeting_id
    LEFT JOIN cycle_members cm ON cm.cycle_id = m.cycle_id AND cm.member_id = asked.member_id
  ), taken AS (
    INSERT INTO dues AS d (meeting_id, member_id, due_minor, taken_minor, paid_minor)
    SELECT meeting_id, member_id, due_minor, amount_minor, 0 FROM terms
    WHERE is_held AND status IN (${OPEN}) AND (cycle_id IS NULL OR amount_minor <= due_minor)
    ORDER BY meeting_id, member_id
    ON CONFLICT (meeting_id, member_id) DO UPDATE SET taken_minor = d.taken_minor + EXCLUDED.taken_minor
      WHERE d.due_minor IS NULL OR d.taken_minor + EXCLUDED.taken_minor <= d.due_minor
    RETURNING meeting_id, member_id, coalesce(d.due_minor - d.taken_minor, 0) AS outstanding_minor
  ), stored AS (
    INSERT INTO contributions (id, association_id, meeting_id, member_id, paid_by_member_id, payer_user_id, wallet_id,
      method, amount_minor, currency, status, outstanding_minor, created_at, last_attempt_at)
    SELECT id, association_id, meeting_id, member_id, paid_by_member_id, payer_user_id, wallet_id,
      CASE WHEN wallet_id IS NULL THEN 'cash' ELSE 'wallet' END, amount_minor,
      currency, 'pending', outstanding_minor, now, now
    FROM taken JOIN terms USING (meeting_id, member_id)
  ), stated AS (
    INSERT INTO contribution_statements (contribution_id, statement)
    SELECT id, statement FROM taken JOIN terms USING (meeting_id, member_id) WHERE statement IS NOT NULL
  ), described AS (
    INSERT INTO contribution_metadata (contribution_id, metadata)
    SELECT id, metadata FROM taken JOIN terms USING (meeting_id, member_id) WHERE metadata IS NOT NULL
  )
  SELECT terms.id, status AS meeting_status, outstanding_minor, is_held
  FROM terms LEFT JOIN taken USING (meeting_id, member_id)`;

const TAKE_DUE = { name: 'contribution.take_due', text: takeDuesWith('FOR SHARE') };
const TAKE_DUES = { name: 'contribution.take_dues', text: takeDuesWith('FOR SHARE SKIP LOCKED') };

/**
 * Takes several different dues. It skips locked meetings, as the whole batch would wait for the lock. For the lock on a due
 * it waits, at most as long as its pool allows.
 * @returns undefined for each contribution whose meeting was locked, for which nothing was done
 */
async function takeDues(db: Db, contributions: readonly NewContribution[]): Promise<(TakenDue | undefined)[]> {
  const rows = await db.rows<TakenDue & { id: string }>(TAKE_DUES, takeValues(contributions));
  const byId = new Map(rows.map((row) => [row.id, row]));
  return contributions.map(({ id }) => byId.get(id));
}

/** Takes one due, and waits if its meeting is locked. The meeting must exist. */
export async function takeDue(db: Db, contribution: NewContribution): Promise<TakenDue> {
  const taken = await db.first<TakenDue>(TAKE_DUE, takeValues([contribution]));
  if (taken === undefined)
    throw new Error(`Meeting ${contribution.meeting_id} was not found, but meetings are never deleted`);
  return taken;
}

/** Lock order: the meeting, then the due. */
const LOCK_MEETING_TO_PAY = 'SELECT FROM meetings WHERE id = $1 FOR SHARE';
const LOCK_DUE = 'SELECT FROM dues WHERE meeting_id = $1 AND member_id = $2 FOR UPDATE';

/**
 * Takes a due after takeDue() could not, or says why not. The due is locked, so that the refusal says what was left when it was
 * refused: other payments give dues back at any time.
 * @throws idempotency_in_flight if a repeat has taken the request over
 */
export async function takeDueOrRefuse(
  tx: Transaction,
  contribution: NewContribution & Pick<ContributionRow, 'currency'>,
): Promise<{ outstanding_minor: bigint } | { refusal: Refusal }> {
  const { meeting_id, member_id } = contribution;
  tx.send(LOCK_MEETING_TO_PAY, [meeting_id]);
  tx.send(LOCK_DUE, [meeting_id, member_id]);
  const { outstanding_minor, meeting_status, is_held } = await takeDue(tx, contribution);
  if (outstanding_minor !== null) return { outstanding_minor };
  if (!is_held) throw inFlight();
  return { refusal: await findDueRefusal(tx, contribution, meeting_status) };
}

function takeValues(contributions: readonly NewContribution[]): unknown[][] {
  const asked = contributions.map(({ claim, metadata, ...contribution }) => {
    const stored = storedMetadata(metadata);
    return {
      ...contribution,
      key: claim?.key ?? null,
      claimed_at: claim?.claimed_at ?? null,
      metadata: stored && JSON.stringify(stored),
    };
  });
  return columnsOf(
    asked,
    'meeting_id',
    'member_id',
    'amount_minor',
    'id',
    'paid_by_member_id',
    'payer_user_id',
    'wallet_id',
    'created_at',
    'statement',
    'key',
    'claimed_at',
    'metadata',
  );
}

/** A contribution whose money has moved, with its events. */
export interface PaidContribution {
  id: string;
  events: OutboxRow[];
  /** For the row that is returned, as the statement does not read it. */
  metadata?: Metadata;
  /** Stores the request's answer; undefined if it has none to store. */
  keepAnswer?: Attempt<ContributionRow>['keepAnswer'];
}

/**
 * Changes only pending contributions, so that only one of two attempts at the same payment succeeds.
 * Lock order: contributions by id, then dues by meeting and member, as when dues are taken. No transaction waits for a
 * contribution while it has locked a due.
 *
 * The status is compared afterwards: with it, PostgreSQL 18 read a whole partial index until the table was analyzed.
 */
const MARK_ALL_PAID = {
  name: 'contribution.mark_all_paid',
  text: `
    WITH locked AS (
      SELECT id, meeting_id, member_id, amount_minor, status FROM contributions
      WHERE id = ANY($1::uuid[]) ORDER BY id FOR UPDATE
    ), pending AS (
      SELECT * FROM locked WHERE status IN (${PENDING})
    ), owed AS (
      SELECT p.id, p.amount_minor, d.meeting_id, d.member_id FROM pending p JOIN dues d USING (meeting_id, member_id)
      ORDER BY d.meeting_id, d.member_id FOR UPDATE OF d
    ), counted AS (
      UPDATE dues d SET paid_minor = d.paid_minor + o.amount_minor FROM owed o
      WHERE d.meeting_id = o.meeting_id AND d.member_id = o.member_id
      RETURNING o.id, coalesce(d.due_minor - d.paid_minor, 0) AS outstanding_minor
    ), decided AS (
      UPDATE contributions c SET status = 'paid', decided_at = $2, outstanding_minor = counted.outstanding_minor
      FROM counted WHERE c.id = counted.id
      RETURNING ${columnList(contributions, 'c')}
    ), written_events AS (
      INSERT INTO outbox (event_id, association_id, type, event)
      SELECT facts.event_id, facts.association_id, facts.type, facts.event
      FROM decided JOIN unnest($3::uuid[], $4::uuid[], $5::uuid[], $6::text[], $7::json[])
        AS facts (contribution_id, event_id, association_id, type, event) ON facts.contribution_id = decided.id
    )
    SELECT * FROM decided`,
};

/**
 * Marks pending contributions as paid, adds them to their dues and writes their events. No two may pay the same due.
 * @returns each contribution as it is now; undefined if it was decided before
 */
export async function markPaidOn(
  db: Db,
  payments: readonly PaidContribution[],
  now: Date,
): Promise<(ContributionRow | undefined)[]> {
  const rows = await db.rows<ContributionRow>(MARK_ALL_PAID, paidValues(payments, now));
  const byId = new Map(rows.map((row) => [row.id, row]));
  return payments.map(({ id, metadata }) => {
    const row = byId.get(id);
    return row === undefined || metadata === undefined ? row : { ...row, metadata };
  });
}

/** As markPaidOn(), and stores the answers of the requests in the same transaction. */
export async function markAllPaid(
  db: Pool,
  payments: readonly PaidContribution[],
  now: Date,
): Promise<(ContributionRow | undefined)[]> {
  const mark = (on: Db) => markPaidOn(on, payments, now);
  // Without answers to store, the statement needs no explicit transaction.
  if (payments.every(({ keepAnswer }) => keepAnswer === undefined)) return mark(db);
  return db.transaction(async (tx) => {
    const paid = await mark(tx);
    for (const [index, row] of paid.entries()) {
      if (row !== undefined) await payments[index]?.keepAnswer?.(tx, row);
    }
    return paid;
  });
}

function paidValues(payments: readonly PaidContribution[], now: Date): unknown[] {
  const written = payments.flatMap(({ id, events }) => events.map((event) => ({ contribution_id: id, ...event })));
  return [
    payments.map(({ id }) => id),
    now,
    ...columnsOf(written, 'contribution_id', 'event_id', 'association_id', 'type', 'event'),
  ];
}

/** Gives back what a contribution took of its due. The same transaction must end the contribution. */
export function giveDueBack(tx: Transaction, { id, meeting_id, member_id, amount_minor }: ContributionRow): void {
  tx.send(
    `WITH counted AS (
       UPDATE dues SET taken_minor = taken_minor - $4 WHERE meeting_id = $2 AND member_id = $3
       RETURNING coalesce(due_minor - paid_minor, 0) AS outstanding_minor
     )
     UPDATE contributions SET outstanding_minor = counted.outstanding_minor FROM counted WHERE id = $1`,
    [id, meeting_id, member_id, amount_minor],
  );
  repeatLateCheck(tx, meeting_id);
}
