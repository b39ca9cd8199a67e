/** Invitations in the database; see association.store.ts for the order of locks. */
import { createHash } from 'node:crypto';
import type { Db } from '../../../lib/db/db.ts';
import type { Position } from '../../../lib/paging/cursors.ts';
import { FIRST_POSITION } from '../associations/association.store.ts';
import type { AssociationRow } from '../associations/association.table.ts';
import type { InvitationRow } from './invitation.table.ts';

/** Returns the hash under which a code is stored. A fast hash is enough for 144 random bits. */
export function hashCode(code: string): Buffer {
  return createHash('sha256').update(code).digest();
}

/** The condition of an invitation with which one can join at the instant $2. */
const USABLE = 'uses < max_uses AND expires_at > $2';

/** Finds the invitation of a code; undefined if the code is unknown, used up or expired. */
export function findUsableInvitation(
  db: Db,
  code: string,
  now: Date,
): Promise<{ id: string; association_id: string } | undefined> {
  return db.first(`SELECT id, association_id FROM invitations WHERE code_hash = $1 AND ${USABLE}`, [
    hashCode(code),
    now,
  ]);
}

/**
 * Counts one use of the invitation.
 * @returns false if it is used up or expired
 */
export async function useInvitation(tx: Db, id: string, now: Date): Promise<boolean> {
  const used = await tx.run(`UPDATE invitations SET uses = uses + 1 WHERE id = $1 AND ${USABLE}`, [id, now]);
  return used === 1;
}

const LIST = {
  name: 'membership.list_invitations',
  text: `
    SELECT id, association_id, created_by_member_id, max_uses, uses, expires_at, created_at FROM invitations
    WHERE association_id = $1 AND (created_at, id) < ($2::timestamptz, $3::uuid)
    ORDER BY created_at DESC, id DESC LIMIT $4`,
};

/**
 * Lists the invitations of an association, newest first.
 * @param after `created_at` and id of an invitation
 */
export function listNewestFirst(
  db: Db,
  association_id: string,
  after: Position | null,
  limit: number,
): Promise<Omit<InvitationRow, 'code_hash'>[]> {
  return db.rows(LIST, [association_id, ...(after ?? FIRST_POSITION), limit]);
}

/**
 * Deletes an invitation. Must be called under the lock on its association, which users who accept it take too.
 * @returns false if there is none
 */
export async function deleteInvitation(tx: Db, id: string): Promise<boolean> {
  return (await tx.run('DELETE FROM invitations WHERE id = $1', [id])) === 1;
}

/** What an invitation shows of its association. */
export type OfferedAssociation = Pick<
  AssociationRow,
  | 'name'
  | 'description'
  | 'type'
  | 'currency'
  | 'contribution_amount_minor'
  | 'contribution_frequency'
  | 'member_count'
  | 'max_members'
> &
  Pick<InvitationRow, 'association_id' | 'expires_at'>;

const FIND_OFFERED = {
  name: 'membership.find_offered',
  text: `
    SELECT i.association_id, a.name, a.description, a.type, a.currency, a.contribution_amount_minor,
      a.contribution_frequency, a.member_count, a.max_members, i.expires_at
    FROM invitations i JOIN associations a ON a.id = i.association_id
    WHERE i.code_hash = $1 AND ${USABLE}`,
};

/** Finds the association of a code; undefined if the code is unknown, used up or expired. */
export function findOffered(db: Db, code: string, now: Date): Promise<OfferedAssociation | undefined> {
  return db.first(FIND_OFFERED, [hashCode(code), now]);
}
