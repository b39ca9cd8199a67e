import type pg from 'pg';
import { uuidv7 } from 'uuidv7';
import type { FilledGroup, PaidRound } from '../harness/filled-group.ts';
import { eventOf, inTransaction, postPlainly } from './plain-transfer.ts';

// The search path of the connections is `treasury` (plain-database.ts).
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
           created_at, settled_at, last_attempt_at)
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

/**
 * The cost floor of a settlement that ends a savings cycle: the same rows of the same tables in one transaction of one
 * process, with the tables of both services in one database (plain-database.ts). It checks no permission and already
 * knows the payout wallets. All rows of a table are written by one prepared statement.
 */
export function settlePlainly(client: pg.ClientBase, group: FilledGroup, round: PaidRound): Promise<void> {
  return inTransaction(client, () => settle(client, group, round));
}

async function settle(
  client: pg.ClientBase,
  { association_id, members }: FilledGroup,
  { cycle_id, meeting_id }: PaidRound,
): Promise<void> {
  const wallets = new Map(members.map((member) => [member.member_id, member.wallet_id]));
  const { rows: meetings } = await client.query<MeetingTerms>(LOCK_MEETING, [meeting_id]);
  const [meeting] = meetings;
  if (meeting?.status !== 'open') throw new Error('The meeting is not open');
  const { rows: saved } = await client.query<{ member_id: string; amount_minor: bigint }>(SAVED, [cycle_id]);
  const payouts = saved.map(({ member_id, amount_minor }) => {
    return { member_id, wallet_id: wallets.get(member_id) ?? '', amount_minor: Number(amount_minor) };
  });
  const collected_minor = payouts.reduce((sum, { amount_minor }) => sum + amount_minor, 0);
  const paid = payouts.map(({ member_id, wallet_id, amount_minor }) => {
    return { account: `wallet:${wallet_id}`, amount_minor, member_id };
  });
  const legs = [{ account: `pool:${meeting_id}`, amount_minor: -collected_minor }, ...paid];
  const { currency, expected_minor, rules_version, number } = meeting;
  const id = uuidv7();
  await postPlainly(client, { id, association_id, kind: 'settlement', currency, legs });

  const now = new Date();
  await client.query(WRITE_SETTLEMENT, [
    id,
    association_id,
    meeting_id,
    currency,
    collected_minor,
    expected_minor,
    JSON.stringify(payouts.map((payout) => ({ ...payout, method: 'wallet' }))),
    JSON.stringify(legs),
    rules_version,
    members[0]?.member_id,
    now,
  ]);
  await client.query(END_MEETING, [meeting_id, id, now]);
  await client.query(END_CYCLE, [cycle_id]);
  const settled = { meeting_id, cycle_id, settlement_id: id, collected_minor, currency };
  const events = [
    eventOf('contribution', 'meeting.settled', association_id, settled),
    eventOf('contribution', 'cycle.completed', association_id, { cycle_id, number }),
  ];
  await client.query(WRITE_EVENTS, [
    association_id,
    events.map((event) => event.id),
    events.map((event) => event.type),
    events.map((event) => JSON.stringify(event)),
  ]);
}
