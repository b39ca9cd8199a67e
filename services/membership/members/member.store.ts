/** Members in the database; see associations.ts for the order of locks. */
import type { EntityManager } from 'typeorm';
import { BOARD } from '../../../lib/contracts/permissions.ts';
import type { MemberRecord } from './member.table.ts';
import { MemberEntity } from '../persistence/member.entity.ts';

/** The user's row in the association, whether he is active or not. */
export function findMember(
  manager: EntityManager,
  association_id: string,
  user_id: string,
): Promise<MemberRecord | null> {
  return manager.findOneBy(MemberEntity, { association_id, user_id });
}

/** The same, locked until the transaction ends. */
export function lockMember(
  manager: EntityManager,
  association_id: string,
  user_id: string,
): Promise<MemberRecord | null> {
  return manager.findOne(MemberEntity, { where: { association_id, user_id }, lock: { mode: 'pessimistic_write' } });
}

/** A member by his id, locked until the transaction ends. */
export function lockMemberById(
  manager: EntityManager,
  association_id: string,
  id: string,
): Promise<MemberRecord | null> {
  return manager.findOne(MemberEntity, { where: { association_id, id }, lock: { mode: 'pessimistic_write' } });
}

/** The president, locked until the transaction ends. */
export function lockPresident(manager: EntityManager, association_id: string): Promise<MemberRecord> {
  return manager.findOneOrFail(MemberEntity, {
    where: { association_id, role: 'president', status: 'active' },
    lock: { mode: 'pessimistic_write' },
  });
}

export async function insertMember(manager: EntityManager, member: MemberRecord): Promise<void> {
  await manager.insert(MemberEntity, member);
}

export async function updateMember(
  manager: EntityManager,
  id: string,
  changes: Partial<Omit<MemberRecord, 'id' | 'association_id' | 'user_id'>>,
): Promise<void> {
  await manager.update(MemberEntity, { id }, changes);
}

/** The active members in the order in which they joined. */
export function activeMembers(manager: EntityManager, association_id: string): Promise<MemberRecord[]> {
  return manager.find(MemberEntity, {
    where: { association_id, status: 'active' },
    order: { joined_at: 'ASC', id: 'ASC' },
  });
}

/** The active members with a role on the board, in the order in which they joined. */
export function activeBoard(manager: EntityManager, association_id: string): Promise<MemberRecord[]> {
  return manager
    .createQueryBuilder(MemberEntity, 'm')
    .where(`m.association_id = :association_id AND m.status = 'active'`, { association_id })
    .andWhere('m.role = ANY(:board)', { board: [...BOARD] })
    .orderBy('m.joined_at')
    .addOrderBy('m.id')
    .getMany();
}
