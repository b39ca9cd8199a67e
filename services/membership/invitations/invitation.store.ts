/** Invitations in the database; see association.store.ts for the order of locks. */
import { createHash } from 'node:crypto';
import type { Db } from '../../../lib/db/db.ts';

/** Returns the hash under which a code is stored. A fast hash is enough for 144 random bits. */
export function hashCode(code: string): Buffer {
  return createHash('sha256').update(code).digest();
}

/** Finds the invitation of a code; undefined if the code is unknown, used up or expired. */
export function findUsableInvitation(
  db: Db,
  code: string,
  now: Date,
): Promise<{ id: string; association_id: string } | undefined> {
  return db.first(
    'SELECT id, association_id FROM invitations WHERE code_hash = $1 AND uses < max_uses AND expires_at > $2',
    [hashCode(code), now],
  );
}

/**
 * Counts one use of the invitation.
 * @returns false if it is used up or expired
 */
export async function useInvitation(tx: Db, id: string, now: Date): Promise<boolean> {
  const used = await tx.run(
    'UPDATE invitations SET uses = uses + 1 WHERE id = $1 AND uses < max_uses AND expires_at > $2',
    [id, now],
  );
  return used === 1;
}
