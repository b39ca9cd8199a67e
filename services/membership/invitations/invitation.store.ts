/** Invitations in the database; see associations.ts for the order of locks. */
import type { EntityManager } from 'typeorm';
import type { InvitationRecord } from './invitation.table.ts';
import { InvitationEntity } from '../persistence/invitation.entity.ts';

export async function insertInvitation(manager: EntityManager, invitation: InvitationRecord): Promise<void> {
  await manager.insert(InvitationEntity, invitation);
}

export function findInvitation(
  manager: EntityManager,
  association_id: string,
  id: string,
): Promise<InvitationRecord | null> {
  return manager.findOneBy(InvitationEntity, { id, association_id });
}

/** The invitation that the code opens now; null if it is unknown, spent or expired. */
export function findUsableInvitation(
  manager: EntityManager,
  code_hash: Buffer,
  now: Date,
): Promise<InvitationRecord | null> {
  return manager
    .createQueryBuilder(InvitationEntity, 'i')
    .where('i.code_hash = :code_hash AND i.uses < i.max_uses AND i.expires_at > :now', { code_hash, now })
    .getOne();
}

/** Takes one use of the invitation, in one statement; false if none is left. */
export async function claimInvitation(manager: EntityManager, id: string, now: Date): Promise<boolean> {
  const claimed = await manager
    .createQueryBuilder()
    .update(InvitationEntity)
    .set({ uses: () => 'uses + 1' })
    .where('id = :id AND uses < max_uses AND expires_at > :now', { id, now })
    .execute();
  return claimed.affected === 1;
}
