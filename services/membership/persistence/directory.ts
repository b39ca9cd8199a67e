import type { EntityManager } from 'typeorm';
import type { AssociationRecord } from '../domain/association.ts';
import type { MemberRecord } from '../domain/member.ts';
import { AssociationEntity } from './association.entity.ts';
import { MemberEntity } from './member.entity.ts';

export type DirectoryFilter = Partial<Pick<AssociationRecord, 'type' | 'currency' | 'contribution_frequency'>> & {
  /** From searchWords(). */
  words: string[];
};

export interface DirectoryEntry {
  association: AssociationRecord;
  /** The reader, if he is an active member. */
  viewer: MemberRecord | null;
}

/**
 * Active public associations, the newest first. What they are sorted by never changes, so that pages stay apart
 * however many are founded meanwhile.
 */
export async function listPublic(
  manager: EntityManager,
  user_id: string,
  { words, ...filter }: DirectoryFilter,
  after: { created_at: string; id: string } | null,
  limit: number,
): Promise<DirectoryEntry[]> {
  const query = manager
    .createQueryBuilder(AssociationEntity, 'a')
    .where(`a.is_public AND a.status = 'active'`)
    .orderBy('a.created_at', 'DESC')
    .addOrderBy('a.id', 'DESC')
    .limit(limit);
  for (const [name, value] of Object.entries(filter)) query.andWhere(`a.${name} = :${name}`, { [name]: value });
  for (const [index, word] of words.entries()) {
    const name = `word${String(index)}`;
    query.andWhere(`a.search_text LIKE :${name}`, { [name]: `%${escaped(word)}%` });
  }
  if (after !== null) query.andWhere('(a.created_at, a.id) < (:created_at, :id)', after);
  const associations = await query.getMany();
  const memberships = await membershipsOf(manager, user_id, associations);
  return associations.map((association) => ({ association, viewer: memberships.get(association.id) ?? null }));
}

async function membershipsOf(
  manager: EntityManager,
  user_id: string,
  associations: AssociationRecord[],
): Promise<Map<string, MemberRecord>> {
  const ids = associations.map(({ id }) => id);
  const members = await manager
    .createQueryBuilder(MemberEntity, 'm')
    .where(`m.user_id = :user_id AND m.status = 'active' AND m.association_id = ANY(:ids)`, { user_id, ids })
    .getMany();
  return new Map(members.map((member) => [member.association_id, member]));
}

/** The word as LIKE takes it literally. */
function escaped(word: string): string {
  return word.replace(/[\\%_]/g, String.raw`\$&`);
}
