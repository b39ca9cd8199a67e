/**
 * What a settlement is held against: the same rows, of the same tables, in one plain SQL transaction of one process
 * with both services' tables in one database. Whoever settles has been let through already, and where each member is
 * paid is known. All rows of a table go in one prepared statement.
 */
import type pg from 'pg';
import '../../lib/db/pg-types.ts';
import { newId } from '../../test/harness/treasury.ts';
import type { FilledGroup, PaidRound } from '../apparatus/filled-group.ts';
import { eventOf, legsOf, postPlainly } from './plain-posting.ts';
import type { Payout } from './plain-posting.ts';

/** `treasury` is what its connections look into first: see plain-database.ts. */
const LOCK_MEETING = {
  name: 'lock_meeting',
  text: `SELECT m.association_id, m.status, m.currency, m.expected_minor, c.rules_version, c.number
         FROM contribution.meetings m JOIN contribution.cycles c ON c.id = m.cycle_id WHERE m.id = $1 FOR UPDATE OF m`,
};

const SAVED = {
  name: 'saved',
  text: `SELECT cm.member_id, sum(d.paid_minor)::bigint AS amount_minor
         FROM contribution.cycle_members cm JOIN contribution.meetings m ON m.cycle_id = cm.cycle_id
         JOIN contribution.dues d ON d.meeting_id = m.id AND d.member_id = cm.member_id
         WHERE cm.cycle_id = $1 AND d.paid_minor > 0 GROUP BY cm.member_id, cm.ordinal ORDER BY cm.ordinal`,
};

const WRITE_SETTLEMENT = {
  name: 'write_settlement',
  text: `INSERT INTO contribution.settlements (id, association_id, meeting_id, status, currency, collected_minor,
           expected_minor, paid_out_minor, to_treasury_minor, payouts, legs, rules_version, settled_by_member_id,
           created_at, settled_at, driven_at)
         VALUES ($1, $2, $3, 'settled', $4, $5, $6, $5, 0, $7, $8, $9, $10, $11, $11, $11)`,
};

const END_MEETING = {
  name: 'end_meeting',
  text: `UPDATE contribution.meetings SET status = 'settled', attempt_id = $2, settled_at = $3 WHERE id = $1`,
};

const END_CYCLE = { name: 'end_cycle', text: `UPDATE contribution.cycles SET status = 'completed' WHERE id = $1` };

const WRITE_EVENTS = {
  name: 'write_events',
  text: `INSERT INTO contribution.outbox (event_id, association_id, type, event)
         SELECT event_id, $1, type, event FROM unnest($2::uuid[], $3::text[], $4::json[]) AS new (event_id, type, event)`,
};

interface MeetingTerms {
  status: string;
  currency: string;
  expected_minor: bigint;
  rules_version: number;
  number: number;
}

/** Settles the last round of a cycle of savings: everyone gets back what was paid for him. */
export async function settlePlainly(client: pg.ClientBase, group: FilledGroup, round: PaidRound): Promise<void> {
  await client.query('BEGIN');
  try {
    await settle(client, group, round);
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK');
    throw error;
  }
}

async function settle(
  client: pg.ClientBase,
  { association_id, members }: FilledGroup,
  { cycle_id, meeting_id }: PaidRound,
): Promise<void> {
  const wallets = new Map(members.map((member) => [member.member_id, member.wallet_id]));
  const { rows: meetings } = await client.query<MeetingTerms>({ ...LOCK_MEETING, values: [meeting_id] });
  const [meeting] = meetings;
  if (meeting?.status !== 'open') throw new Error('The meeting is not open');
  const { rows: saved } = await client.query<{ member_id: string; amount_minor: bigint }>({
    ...SAVED,
    values: [cycle_id],
  });
  const payouts = saved.map(({ member_id, amount_minor }): Payout => {
    return { member_id, wallet_id: wallets.get(member_id) ?? '', amount_minor: Number(amount_minor) };
  });
  const { currency } = meeting;
  const transfer = { id: newId(), association_id, meeting_id, currency, payouts };
  await postPlainly(client, transfer);

  const now = new Date();
  const collected = payouts.reduce((sum, { amount_minor }) => sum + amount_minor, 0);
  const settlement = [
    ...[transfer.id, association_id, meeting_id, currency, collected, meeting.expected_minor],
    JSON.stringify(payouts.map((payout) => ({ ...payout, method: 'wallet' }))),
    JSON.stringify(legsOf(transfer).map(({ member_id, ...leg }) => (member_id === null ? leg : { ...leg, member_id }))),
    ...[meeting.rules_version, members[0]?.member_id, now],
  ];
  await client.query({ ...WRITE_SETTLEMENT, values: settlement });
  await client.query({ ...END_MEETING, values: [meeting_id, transfer.id, now] });
  await client.query({ ...END_CYCLE, values: [cycle_id] });
  const settled = { meeting_id, cycle_id, settlement_id: transfer.id, collected_minor: collected, currency };
  const events = [
    eventOf('contribution', 'meeting.settled', association_id, settled),
    eventOf('contribution', 'cycle.completed', association_id, { cycle_id, number: meeting.number }),
  ];
  const columns = [
    events.map((event) => event.id),
    events.map((event) => event.type),
    events.map((event) => JSON.stringify(event)),
  ];
  await client.query({ ...WRITE_EVENTS, values: [association_id, ...columns] });
}
