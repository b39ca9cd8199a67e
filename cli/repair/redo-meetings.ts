/** Stores cycles and meetings again that a restored contribution database has lost. */
import type { LedgerEvent } from '../../lib/contracts/events.ts';
import type { ProposalPayloads } from '../../lib/contracts/governance.ts';
import type { Terms } from '../../lib/contracts/membership.ts';
import { readArchivedSince } from '../../lib/events/archives.ts';
import type { Bound } from '../../services/contribution/cycles/cycle.saga.ts';
import { redoCycle, redoMeeting } from '../../services/contribution/cycles/redo-cycle.ts';
import { storeDueDay } from '../../services/contribution/fines/assess-automatic-fines.ts';
import { termsOf } from '../../services/membership/associations/association.view.ts';
import type { AssociationRow } from '../../services/membership/associations/association.table.ts';
import { listBoundMembers } from '../../services/membership/cycles/binding.store.ts';
import { referenceOf } from '../../services/membership/members/member.view.ts';
import type { LostEvent, Repair } from './repair.ts';

/** Repeats lost events of cycles and meetings, in their order. */
export async function redoMeetings(repair: Repair): Promise<void> {
  const { lost, tx } = repair;
  for (const event of lost.ofType('cycle.started')) await redoStart(repair, event);
  for (const scheduled of lost.ofType('meeting.scheduled')) {
    if (scheduled.event.data.cycle_id === null) await redoScheduling(repair, scheduled);
    else if (!(await hasMeeting(repair, scheduled.event.data.meeting_id))) lost.markUndone(scheduled);
  }
  for (const { event } of lost.ofType('meeting.rescheduled')) {
    const { meeting_id, due_on, title } = event.data;
    const moved = await tx.contribution.first<{ cycle_id: string | null }>(
      `UPDATE meetings SET due_on = $2, title = $3 WHERE id = $1 AND (due_on, title) IS DISTINCT FROM ($2, $3)
       RETURNING cycle_id`,
      [meeting_id, due_on, title],
    );
    if (moved === undefined) continue;
    if (moved.cycle_id !== null) {
      await storeDueDay(tx.contribution, moved.cycle_id, { id: meeting_id, due_on }, new Date(event.time));
    }
    repair.did('meetings', `move meeting ${meeting_id} to ${due_on}`);
  }
}

async function hasMeeting({ tx }: Repair, id: string): Promise<boolean> {
  return (await tx.contribution.first('SELECT FROM meetings WHERE id = $1', [id])) !== undefined;
}

async function redoStart(repair: Repair, lost: LostEvent<'cycle.started'>): Promise<void> {
  const { tx } = repair;
  const { data: started, subject: association_id = '', time } = lost.event;
  const { cycle_id } = started;
  if ((await tx.contribution.first('SELECT FROM cycles WHERE id = $1', [cycle_id])) !== undefined) return;
  const rounds = repair.lost.ofType('meeting.scheduled').filter(({ event }) => event.data.cycle_id === cycle_id);
  const byRound = rounds.toSorted((a, b) => (a.event.data.round ?? 0) - (b.event.data.round ?? 0));
  const meeting_ids = byRound.map(({ event }) => event.data.meeting_id);
  const bound = await readBound(repair, association_id, cycle_id, time);
  const shared = { association_id, started, started_at: new Date(time), meeting_ids };
  const refused = typeof bound === 'string' ? bound : await redoCycle(tx.contribution, { ...shared, bound });
  if (refused === null) {
    repair.did('cycles', `store cycle ${cycle_id} of association ${association_id} again, with its rounds`);
    return;
  }
  repair.lost.markUndone(lost);
  repair.cannot(`cycle ${cycle_id} of association ${association_id} is lost: ${refused}`);
}

/** Returns the members of a cycle and the terms, or why they are not known. */
async function readBound(
  repair: Repair,
  association_id: string,
  cycle_id: string,
  started_at: string,
): Promise<Bound | string> {
  const { tx } = repair;
  const members = await listBoundMembers(tx.membership, cycle_id);
  if (members.length === 0) return 'membership has lost its members too';
  const association = await findAssociation(tx, association_id);
  if (association === undefined) return 'membership has lost the association';
  const terms = await termsAt(repair, termsOf(association), started_at);
  return terms === undefined
    ? 'the rules or the amount have changed since its start, and no record has the earlier ones'
    : { terms, members: members.map(referenceOf) };
}

/** Returns the terms as they were at an instant; undefined if what has changed since is not recorded. */
async function termsAt(repair: Repair, terms: Terms, instant: string): Promise<Terms | undefined> {
  const { tx } = repair;
  const changes = await listChanges(repair, terms.association_id, instant);
  const [first] = changes;
  if (first === undefined) return terms;
  const approved = await tx.governance.rows<{ payload: Partial<ProposalPayloads['rules_change']> }>(
    'SELECT payload FROM approvals WHERE id = ANY($1::uuid[])',
    [changes.map(({ approval_id }) => approval_id)],
  );
  const isOther = approved.some(
    ({ payload }) => payload.rules !== undefined || payload.contribution_amount !== undefined,
  );
  if (isOther || approved.length < changes.length) return undefined;
  return { ...terms, rules_version: first.rules_version - 1 };
}

/** Returns the current terms with the version that the rules had at an instant. */
export async function termsOfVersionAt(repair: Repair, association: AssociationRow, instant: Date): Promise<Terms> {
  const terms = termsOf(association);
  const [first] = await listChanges(repair, terms.association_id, instant.toISOString());
  return first === undefined ? terms : { ...terms, rules_version: first.rules_version - 1 };
}

interface RulesChange {
  approval_id: string;
  rules_version: number;
}

/** Lists the changes of an association's rules since an instant, oldest first. */
async function listChanges({ tx, archive_dir }: Repair, association_id: string, since: string): Promise<RulesChange[]> {
  const archived = await readArchivedSince(tx.membership, archive_dir, new Date(since));
  const changes = archived
    .filter((each) => each.type === 'rules.changed' && each.association_id === association_id && each.time > since)
    .map(({ event }) => (JSON.parse(event) as LedgerEvent<'rules.changed'>).data);
  const others = await tx.membership.rows<RulesChange>(
    `SELECT event #>> '{data,approval_id}' AS approval_id, (event #>> '{data,rules_version}')::integer AS rules_version
     FROM outbox WHERE association_id = $1 AND type = 'rules.changed' AND event ->> 'time' > $2 ORDER BY position`,
    [association_id, since],
  );
  return [...changes, ...others];
}

/** Finds an association. */
export function findAssociation(tx: Repair['tx'], id: string): Promise<AssociationRow | undefined> {
  return tx.membership.first<AssociationRow>('SELECT * FROM associations WHERE id = $1', [id]);
}

async function redoScheduling(repair: Repair, lost: LostEvent<'meeting.scheduled'>): Promise<void> {
  const { tx } = repair;
  const { data, subject: association_id = '', time } = lost.event;
  const { meeting_id: id, due_on } = data;
  if (await hasMeeting(repair, id)) return;
  const association = await findAssociation(tx, association_id);
  if (association === undefined) {
    repair.lost.markUndone(lost);
    repair.cannot(`meeting ${id} is lost, and membership has lost its association ${association_id}`);
    return;
  }
  const { currency } = association;
  await redoMeeting(tx.contribution, { id, association_id, due_on, currency, created_at: new Date(time) });
  repair.did('meetings', `store meeting ${id} of association ${association_id} again (no event has its title)`);
}
