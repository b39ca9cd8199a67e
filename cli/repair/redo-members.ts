/** Stores changes, memberships and bindings again that a restored membership database has lost. Proposals are executed again. */
import { insertRows } from '../../lib/db/table.ts';
import { RUNNING } from '../../services/contribution/cycles/cycle.table.ts';
import { searchText } from '../../services/membership/associations/search-text.rules.ts';
import { members, type MemberRow } from '../../services/membership/members/member.table.ts';
import { findAssociation } from './redo-meetings.ts';
import type { LostEvent, Repair } from './repair.ts';

/** Repeats lost events of memberships, in their order, and binds the members of running cycles again. */
export async function redoMembers(repair: Repair): Promise<void> {
  const { lost } = repair;
  for (const each of lost.ofType('association.created')) {
    const { subject: id = '' } = each.event;
    if ((await findAssociation(repair.tx, id)) !== undefined) continue;
    lost.markUndone(each);
    repair.cannot(`association ${id} is lost: no event has its amount and rules`);
  }
  for (const each of lost.ofType('association.updated')) await redoChange(repair, each);
  for (const each of lost.ofType('member.joined', 'member.left')) {
    if ((await findAssociation(repair.tx, each.event.subject ?? '')) === undefined) lost.markUndone(each);
    else if (each.event.type === 'member.joined') await redoJoining(repair, each as LostEvent<'member.joined'>);
    else await redoLeaving(repair, each as LostEvent<'member.left'>);
  }
  await redoBindings(repair);
}

async function redoChange(repair: Repair, change: LostEvent<'association.updated'>): Promise<void> {
  const { subject: id = '', data } = change.event;
  const { name, description, is_public } = data;
  const { tx } = repair;
  if ((await findAssociation(tx, id)) === undefined) {
    repair.lost.markUndone(change);
    return;
  }
  const changed = await tx.membership.run(
    `UPDATE associations SET name = $2, description = $3, is_public = $4, search_text = $5
     WHERE id = $1 AND (name, description, is_public) IS DISTINCT FROM ($2, $3, $4)`,
    [id, name, description, is_public, searchText(name, description)],
  );
  if (changed > 0) repair.did('associations', `change the name, description or visibility of association ${id} again`);
}

async function redoJoining(repair: Repair, { event }: LostEvent<'member.joined'>): Promise<void> {
  const { tx } = repair;
  const { subject: association_id = '', time, data } = event;
  const { member_id: id, user_id, role } = data;
  const known = await tx.membership.first<MemberRow>('SELECT * FROM members WHERE id = $1', [id]);
  if (known?.status === 'active') return;
  const joined_at = new Date(time);
  if (known === undefined) {
    const [hands, payout_wallet_id] = await Promise.all([
      handsOf(repair, id),
      walletOf(repair, association_id, user_id),
    ]);
    const named = { display_name: null, status: 'active' as const, tenure: 0 };
    const row: MemberRow = { ...named, id, association_id, user_id, role, hands, payout_wallet_id, joined_at };
    await insertRows(tx.membership, members, [row]);
  } else {
    await tx.membership.run(`UPDATE members SET status = 'active', role = $2, joined_at = $3 WHERE id = $1`, [
      id,
      role,
      joined_at,
    ]);
  }
  await changeCount(repair, association_id, 1);
  repair.did(
    'members',
    `store member ${id} of association ${association_id} again (no event has their name and hands)`,
  );
}

/** Returns the member's hands in their last cycle; 1 if they were in none. */
async function handsOf({ tx }: Repair, member_id: string): Promise<number> {
  const row = await tx.contribution.first<{ hands: number }>(
    `SELECT m.hands FROM cycle_members m JOIN cycles c ON c.id = m.cycle_id
     WHERE m.member_id = $1 ORDER BY c.created_at DESC LIMIT 1`,
    [member_id],
  );
  return row?.hands ?? 1;
}

async function walletOf({ tx }: Repair, association_id: string, user_id: string): Promise<string | null> {
  const association = await findAssociation(tx, association_id);
  const wallet = await tx.treasury.first<{ id: string }>(
    'SELECT id FROM wallets WHERE user_id = $1 AND currency = $2',
    [user_id, association?.currency],
  );
  return wallet?.id ?? null;
}

async function redoLeaving(repair: Repair, { event }: LostEvent<'member.left'>): Promise<void> {
  const { member_id } = event.data;
  const left = await repair.tx.membership.run(
    `UPDATE members SET status = 'left', tenure = tenure + 1 WHERE id = $1 AND status = 'active' AND joined_at < $2`,
    [member_id, event.time],
  );
  if (left === 0) return;
  await changeCount(repair, event.subject ?? '', -1);
  repair.did('members', `mark member ${member_id} as left`);
}

async function changeCount({ tx }: Repair, association_id: string, change: number): Promise<void> {
  await tx.membership.run('UPDATE associations SET member_count = member_count + $2 WHERE id = $1', [
    association_id,
    change,
  ]);
}

const RUNNING_CYCLES = `
  SELECT c.id, c.association_id, c.created_at,
    json_agg(json_build_object('member_id', m.member_id, 'hands', m.hands, 'position', m.ordinal)) AS members
  FROM cycles c JOIN cycle_members m ON m.cycle_id = c.id WHERE c.status IN (${RUNNING}) GROUP BY c.id`;

interface RunningCycle {
  id: string;
  association_id: string;
  created_at: Date;
  members: { member_id: string; hands: number; position: number }[];
}

async function redoBindings(repair: Repair): Promise<void> {
  const { tx } = repair;
  const cycles = await tx.contribution.rows<RunningCycle>(RUNNING_CYCLES);
  const known = await tx.membership.rows<{ cycle_id: string }>(
    'SELECT cycle_id FROM cycle_bindings WHERE cycle_id = ANY($1::uuid[])',
    [cycles.map(({ id }) => id)],
  );
  const bound = new Set(known.map(({ cycle_id }) => cycle_id));
  for (const { id, association_id, created_at, members: ofCycle } of cycles) {
    if (bound.has(id)) continue;
    await tx.membership.run(
      `UPDATE cycle_bindings SET released_at = $2 WHERE association_id = $1 AND released_at IS NULL`,
      [association_id, created_at],
    );
    await tx.membership.run('INSERT INTO cycle_bindings (cycle_id, association_id, bound_at) VALUES ($1, $2, $3)', [
      id,
      association_id,
      created_at,
    ]);
    await tx.membership.run(
      `INSERT INTO cycle_binding_members (cycle_id, position, member_id, hands)
       SELECT $1, position, member_id, hands
       FROM jsonb_to_recordset($2) AS bound (position integer, member_id uuid, hands smallint)`,
      [id, JSON.stringify(ofCycle)],
    );
    repair.did('bindings', `bind the members of cycle ${id} of association ${association_id} again`);
  }
}
