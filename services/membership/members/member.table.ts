import type { MEMBER_STATUSES } from '../../../lib/contracts/membership.ts';
import type { Role } from '../../../lib/contracts/permissions.ts';
import { instant, integer, key, optional, other, table, text, uuid } from '../../../lib/db/table.ts';
import type { RowOf } from '../../../lib/db/table.ts';

/** One user in one association, for good: those who leave and come back are the same member. */
export const members = table('members', {
  id: key(uuid()),
  association_id: uuid(),
  user_id: text(),
  display_name: optional(text()),
  role: text<Role>(),
  status: text<(typeof MEMBER_STATUSES)[number]>(),
  /** Shares in the rotation. */
  hands: other<number>('smallint'),
  payout_wallet_id: optional(text()),
  /** The last time that they joined. */
  joined_at: instant(),
  /** How often they have left or been expelled: what other services lock for a departure is of one tenure. */
  tenure: integer(),
});

export type MemberRow = RowOf<typeof members>;

/** What the readers of an association see of their own membership. */
export type Viewer = Pick<MemberRow, 'id' | 'role' | 'status' | 'hands' | 'joined_at'>;

/** What other services may know of a member. */
export type MemberFacts = Omit<MemberRow, 'association_id' | 'tenure'>;
