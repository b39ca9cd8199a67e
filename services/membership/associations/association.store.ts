/**
 * Associations in the database. Locks are taken in one order throughout the service: association, member, invitation,
 * ending; PIN rows are locked in transactions of their own.
 */
import type { EntityManager } from 'typeorm';
import type { AssociationRecord } from './association.table.ts';
import { searchText } from './search-text.rules.ts';
import type { Agreed } from '../proposals/change.rules.ts';
import { AssociationEntity } from '../persistence/association.entity.ts';

export function findAssociation(manager: EntityManager, id: string): Promise<AssociationRecord | null> {
  return manager.findOneBy(AssociationEntity, { id });
}

/** The association, locked until the transaction ends: whatever depends on its members waits. */
export function lockAssociation(manager: EntityManager, id: string): Promise<AssociationRecord | null> {
  return manager.findOne(AssociationEntity, { where: { id }, lock: { mode: 'pessimistic_write' } });
}

export async function insertAssociation(manager: EntityManager, association: AssociationRecord): Promise<void> {
  const search_text = searchText(association.name, association.description);
  await manager.insert(AssociationEntity, { ...association, search_text });
}

/** Counts members that came (1) or went (-1); to be called under the lock on the association. */
export async function countMembers(manager: EntityManager, id: string, change: 1 | -1): Promise<void> {
  await manager.increment(AssociationEntity, { id }, 'member_count', change);
}

/** Stores what the members have newly agreed on; to be called under the lock on the association. */
export async function updateAgreed(manager: EntityManager, id: string, agreed: Agreed): Promise<void> {
  await manager.update(AssociationEntity, { id }, agreed);
}

/** Closes it for good; to be called under the lock on the association. */
export async function closeAssociation(manager: EntityManager, id: string): Promise<void> {
  await manager.update(AssociationEntity, { id }, { status: 'closed' });
}
