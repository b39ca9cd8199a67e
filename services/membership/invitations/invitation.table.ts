import { bytes, instant, integer, key, table, uuid, type RowOf } from '../../../lib/db/table.ts';

export const invitations = table('invitations', {
  id: key(uuid()),
  association_id: uuid(),
  /** From hashCode(). The code itself is only in the answer that idempotency_keys keeps for 24 h. */
  code_hash: bytes(),
  created_by_member_id: uuid(),
  max_uses: integer(),
  uses: integer(),
  expires_at: instant(),
  created_at: instant(),
});

export type InvitationRow = RowOf<typeof invitations>;
