/** Invitations in the database; see association.store.ts for the order of locks. */
import { createHash } from 'node:crypto';
import type { Db } from '../../../lib/db/db.ts';

/** What a code is found by. A fast hash is enough for what has 144 random bits. */
export function hashCode(code: string): Buffer {
  return createHash('sha256').update(code).digest();
}

/** The invitation that the code opens now; undefined if it is unknown, used up or expired. */
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

/** Takes one use of the invitation, in one statement; false if none is left. */
export async function useInvitation(tx: Db, id: string, now: Date): Promise<boolean> {
  const used = await tx.run(
    'UPDATE invitations SET uses = uses + 1 WHERE id = $1 AND uses < max_uses AND expires_at > $2',
    [id, now],
  );
  return used === 1;
}
