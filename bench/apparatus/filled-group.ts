/**
 * Groups of any size put straight into the databases, in the state in which the services would have left them: what is
 * measured begins there, and thousands of people who join and pay one by one would take longer than the measurement.
 */
import type pg from 'pg';
import { DEFAULT_RULES } from '../../lib/contracts/membership.ts';
import type { TransferLeg } from '../../lib/contracts/treasury.ts';
import { openDatabase } from '../../lib/db/database.ts';
import { treasuryDatabase } from '../../services/treasury/database.ts';
import { postingOf, testWriter } from '../../test/harness/ledger.ts';
import { newId } from '../../test/harness/treasury.ts';
import { CURRENCY } from './amounts.ts';

/** What each member owes at each meeting. */
export const DUE_MINOR = 1_000;

/** Put into each wallet: members pay from it in what is filled later, and it is far below the ledger's limit. */
const OPENING_MINOR = 1_000_000_000;

export interface FilledMember {
  member_id: string;
  user_id: string;
  wallet_id: string;
}

/** How many of a group sit on its board: they see where the members are paid. */
export const BOARD_SIZE = 8;

/** An association of savers, one hand each; the first is its president, those after him its secretaries. */
export interface FilledGroup {
  association_id: string;
  members: FilledMember[];
}

/** A round in which every member has paid, so that the group's pool holds all of it. */
export interface PaidRound {
  cycle_id: string;
  meeting_id: string;
}

/**
 * The group in name only: the functions below write it.
 * @param people users with wallets who are to be its members; new ones if absent
 */
export function groupOf(size: number, people: readonly FilledMember[] = newPeople(size)): FilledGroup {
  const members = people.map((person) => ({ ...person, member_id: newId() }));
  return { association_id: newId(), members };
}

function newPeople(count: number): FilledMember[] {
  return Array.from({ length: count }, () => {
    const wallet_id = newId();
    return { member_id: newId(), user_id: `saver-${wallet_id}`, wallet_id };
  });
}

/** Writes the association with its members into the tables of membership. */
export async function fillMembership(tables: pg.Pool, { association_id, members }: FilledGroup): Promise<void> {
  await tables.query(
    `INSERT INTO associations (id, name, type, status, currency, contribution_amount_minor, contribution_frequency,
       max_members, is_public, member_count, rules, rules_version, created_at, search_text)
     VALUES ($1, 'Savers', 'savings', 'active', $2, $3, 'monthly', 10000, false, $4, $5, 1, now(), 'savers')`,
    [association_id, CURRENCY, DUE_MINOR, members.length, JSON.stringify(DEFAULT_RULES)],
  );
  await tables.query(
    `INSERT INTO members (id, association_id, user_id, display_name, role, status, hands, payout_wallet_id, joined_at)
     SELECT id, $1, user_id, 'Saver ' || place,
       CASE WHEN place = 1 THEN 'president' WHEN place <= $2 THEN 'secretary' ELSE 'member' END, 'active', 1,
       wallet_id, now() + place * interval '1 ms'
     FROM unnest($3::uuid[], $4::text[], $5::text[]) WITH ORDINALITY AS new (id, user_id, wallet_id, place)`,
    [association_id, BOARD_SIZE, ...columnsOf(members)],
  );
}

/** Opens the members' wallets, with money in them, in the tables of the treasury. */
export async function fillWallets(tables: pg.Pool, members: readonly FilledMember[]): Promise<void> {
  await tables.query(
    `WITH opened AS (
       INSERT INTO wallets (id, user_id, currency, account_id, created_at)
       SELECT id, user_id, $1, 'wallet:' || id, now() FROM unnest($2::text[], $3::text[]) AS new (id, user_id)
       ON CONFLICT DO NOTHING RETURNING *
     )
     INSERT INTO accounts (account_id, name, money, currency, owner_user_id, balance, may_go_negative, created_at)
     SELECT account_id, account_id, 'emoney', currency, user_id, $4, false, created_at FROM opened`,
    [CURRENCY, members.map((member) => member.wallet_id), members.map((member) => member.user_id), OPENING_MINOR],
  );
}

/** Writes a running cycle of one round that all have paid into the tables of contribution. */
export async function fillPaidRound(tables: pg.Pool, group: FilledGroup): Promise<PaidRound> {
  const { association_id, members } = group;
  const [cycle_id, meeting_id] = [newId(), newId()];
  const [member_ids, user_ids, wallet_ids] = columnsOf(members);
  await tables.query(
    `INSERT INTO cycles (id, association_id, number, status, starts_on, frequency, currency, contribution_amount_minor,
       rules, rules_version, hands_total, rounds, created_at, driven_at)
     SELECT $1, $2, 1 + count(*), 'running', current_date, 'monthly', $3, $4, $5, 1, $6, 1, now(), now()
     FROM cycles WHERE association_id = $2`,
    [cycle_id, association_id, CURRENCY, DUE_MINOR, JSON.stringify(DEFAULT_RULES), members.length],
  );
  await tables.query(
    `INSERT INTO cycle_members (cycle_id, member_id, hands, ordinal)
     SELECT $1, id, 1, place FROM unnest($2::uuid[]) WITH ORDINALITY AS new (id, place)`,
    [cycle_id, member_ids],
  );
  await tables.query(
    `INSERT INTO meetings (id, association_id, cycle_id, round, due_on, status, currency, expected_minor, created_at)
     VALUES ($1, $2, $3, 1, current_date, 'open', $4, $5, now())`,
    [meeting_id, association_id, cycle_id, CURRENCY, members.length * DUE_MINOR],
  );
  await tables.query(
    `INSERT INTO dues (meeting_id, member_id, due_minor, taken_minor, paid_minor)
     SELECT $1, id, $2, $2, $2 FROM unnest($3::uuid[]) AS id`,
    [meeting_id, DUE_MINOR, member_ids],
  );
  await tables.query(
    `INSERT INTO contributions (id, association_id, meeting_id, member_id, paid_by_member_id, payer_user_id, wallet_id,
       method, amount_minor, currency, status, outstanding_minor, created_at, decided_at, driven_at)
     SELECT id, $1, $2, member_id, member_id, user_id, wallet_id, 'wallet', $3, $4, 'paid', 0, now(), now(), now()
     FROM unnest($5::uuid[], $6::uuid[], $7::text[], $8::text[]) AS new (id, member_id, user_id, wallet_id)`,
    [association_id, meeting_id, DUE_MINOR, CURRENCY, members.map(newId), member_ids, user_ids, wallet_ids],
  );
  return { cycle_id, meeting_id };
}

/** A transfer into a meeting's pool, from the wallet of whoever pays. */
export interface PoolPayment {
  meeting_id: string;
  payer: FilledMember;
  amount_minor: number;
}

/** Posts payments to the group's chain as the treasury does, at once. */
export async function fillPool(url: string, group: FilledGroup, payments: readonly PoolPayment[]): Promise<void> {
  const { association_id } = group;
  const db = await openDatabase({ url }, treasuryDatabase);
  const writer = testWriter(db);
  try {
    const outcomes = await Promise.all(
      payments.map(({ meeting_id, payer, amount_minor }) => {
        const { user_id: payer_user_id, member_id } = payer;
        const movement = { legs: poolLegs(payer.wallet_id, meeting_id, amount_minor) };
        return writer.post(postingOf(association_id, { movement, payer_user_id, member_id }));
      }),
    );
    const failed = outcomes.find((outcome) => outcome.status !== 'posted');
    if (failed !== undefined) throw new Error(`Filling a pool was ${failed.status}`);
  } finally {
    await writer.stop();
    await db.close();
  }
}

/** The legs of a payment into a meeting's pool. */
export function poolLegs(wallet_id: string, meeting_id: string, amount_minor: number): TransferLeg[] {
  return [
    { account: `wallet:${wallet_id}`, amount_minor: -amount_minor },
    { account: `pool:${meeting_id}`, amount_minor },
  ];
}

function columnsOf(members: readonly FilledMember[]): [member_ids: string[], user_ids: string[], wallet_ids: string[]] {
  return [
    members.map((member) => member.member_id),
    members.map((member) => member.user_id),
    members.map((member) => member.wallet_id),
  ];
}
