import type { Parts } from '../parts.ts';
import { learnMembers, readGroups, readMembers, storeGroup, type Group, type KnownMember } from './groups.store.ts';

type GroupParts = Pick<Parts, 'db' | 'outside'>;

/** Returns an association; if no event has told of it, as membership does. Undefined if there is none. */
export async function findGroup(parts: GroupParts, association_id: string): Promise<Group | undefined> {
  const known = await readGroups(parts.db, [association_id]);
  if (known.has(association_id)) return known.get(association_id);
  await askMembership(parts, association_id);
  return (await readGroups(parts.db, [association_id])).get(association_id);
}

/** Returns members, also those that no event has named. Those that membership does not know either are left out. */
export async function findMembers(
  parts: GroupParts,
  association_id: string,
  member_ids: readonly string[],
): Promise<Map<string, KnownMember>> {
  const known = await readMembers(parts.db, association_id, member_ids);
  if (member_ids.every((member_id) => known.has(member_id))) return known;
  await askMembership(parts, association_id);
  return readMembers(parts.db, association_id, member_ids);
}

/** The stream may no longer have the events from which this would be known. */
async function askMembership({ db, outside }: GroupParts, association_id: string): Promise<void> {
  const roster = await outside.roster(association_id);
  if (roster === undefined) return;
  await storeGroup(db, association_id, roster.terms);
  await learnMembers(db, association_id, roster.members);
}
