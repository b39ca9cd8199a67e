/**
 * Writes groups of any size directly into the databases, in the same state as the services would. Thousands of requests
 * to join and pay would take longer than the measurement.
 */
import type pg from 'pg';
import { uuidv7 } from 'uuidv7';
import { DEFAULT_RULES } from '../../lib/contracts/membership.ts';

/** A currency without minor digits, so that an amount is the same number in both units. */
export const CURRENCY = 'XAF';

/** The due of each member in each meeting. */
export const DUE_MINOR = 1_000;

/** Balance of each wallet: enough for all later payments, and far below the ledger's limit. */
const OPENING_MINOR = 1_000_000_000;

export interface FilledMember {
  member_id: string;
  user_id: string;
  wallet_id: string;
}

/** Number of board members, who can read the payout wallets of members. */
export const BOARD_SIZE = 8;

/** A savings association whose members have one hand each; the first is president, the next ones are secretaries. */
export interface FilledGroup {
  association_id: string;
  members: FilledMember[];
}

/** A round in which every member has paid. */
export interface PaidRound {
  cycle_id: string;
  meeting_id: string;
}

/**
 * Creates a group for the functions below.
 * @param people users with wallets who become members; new users if absent
 */
export function groupOf(size: number, people?: readonly FilledMember[]): FilledGroup {
  const members = Array.from({ length: size }, (_, index) => {
    const wallet_id = uuidv7();
    return { user_id: `saver-${wallet_id}`, wallet_id, ...people?.[index], member_id: uuidv7() };
  });
  return { association_id: uuidv7(), members };
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

/** Writes the members' funded wallets into the tables of the treasury. */
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

/** Writes a running cycle with one round, in which all members have paid, into the tables of contribution. */
export async function fillPaidRound(tables: pg.Pool, group: FilledGroup): Promise<PaidRound> {
  const { association_id, members } = group;
  const cycle_id = uuidv7();
  const meeting_id = uuidv7();
  const [member_ids, user_ids, wallet_ids] = columnsOf(members);
  await tables.query(
    `INSERT INTO cycles (id, association_id, number, status, starts_on, frequency, currency, contribution_amount_minor,
       rules, rules_version, hands_total, rounds, created_at, last_attempt_at)
     SELECT $1, $2, 1 + count(*), 'running', current_date, 'monthly', $3, $4, $5, 1, $6, 1, now(), now()
     FROM cycles WHERE association_id = $2`,
    [cycle_id, association_id, CURRENCY, DUE_MINOR, JSON.stringify(DEFAULT_RULES), members.length],
  );
  await tables.query(
    `INSERT INTO cycle_members (cycle_id, member_id, hands, due_minor, ordinal)
     SELECT $1, id, 1, $3, place FROM unnest($2::uuid[]) WITH ORDINALITY AS new (id, place)`,
    [cycle_id, member_ids, DUE_MINOR],
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
       method, amount_minor, currency, status, outstanding_minor, created_at, decided_at, last_attempt_at)
     SELECT id, $1, $2, member_id, member_id, user_id, wallet_id, 'wallet', $3, $4, 'paid', 0, now(), now(), now()
     FROM unnest($5::uuid[], $6::uuid[], $7::text[], $8::text[]) AS new (id, member_id, user_id, wallet_id)`,
    [association_id, meeting_id, DUE_MINOR, CURRENCY, members.map(() => uuidv7()), member_ids, user_ids, wallet_ids],
  );
  return { cycle_id, meeting_id };
}

/** Writes a running rotation into the tables of contribution: a round for each member, of which none has begun. */
export async function fillRotation(tables: pg.Pool, { association_id, members }: FilledGroup): Promise<void> {
  const cycle_id = uuidv7();
  const rounds = members.length;
  const [member_ids] = columnsOf(members);
  await tables.query(
    `INSERT INTO cycles (id, association_id, number, status, rotation_order, starts_on, frequency, currency,
       contribution_amount_minor, rules, rules_version, hands_total, rounds, created_at, last_attempt_at)
     VALUES ($1, $2, 1, 'running', 'join', current_date, 'monthly', $3, $4, $5, 1, $6, $6, now(), now())`,
    [cycle_id, association_id, CURRENCY, DUE_MINOR, JSON.stringify(DEFAULT_RULES), rounds],
  );
  await tables.query(
    `WITH hands AS (
       INSERT INTO cycle_hands (cycle_id, position, member_id, round)
       SELECT $1, place, id, place FROM unnest($2::uuid[]) WITH ORDINALITY AS new (id, place)
     )
     INSERT INTO cycle_members (cycle_id, member_id, hands, due_minor, ordinal)
     SELECT $1, id, 1, $3, place FROM unnest($2::uuid[]) WITH ORDINALITY AS new (id, place)`,
    [cycle_id, member_ids, DUE_MINOR],
  );
  await tables.query(
    `INSERT INTO meetings (id, association_id, cycle_id, round, due_on, status, currency, expected_minor, created_at)
     SELECT id, $1, $2, place, current_date + 30 * place::integer, 'open', $3, $4, now()
     FROM unnest($5::uuid[]) WITH ORDINALITY AS new (id, place)`,
    [association_id, cycle_id, CURRENCY, rounds * DUE_MINOR, members.map(() => uuidv7())],
  );
}

function columnsOf(members: readonly FilledMember[]): [member_ids: string[], user_ids: string[], wallet_ids: string[]] {
  return [
    members.map((member) => member.member_id),
    members.map((member) => member.user_id),
    members.map((member) => member.wallet_id),
  ];
}
