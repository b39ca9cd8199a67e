import type { MEMBER_STATUSES } from '../../../lib/contracts/membership.ts';
import type { Role } from '../../../lib/contracts/permissions.ts';
import { instant, integer, key, optional, smallint, table, text, uuid, type RowOf } from '../../../lib/db/table.ts';

/** A user in an association. Users who leave and join again keep their row. */
export const members = table('members', {
  id: key(uuid()),
  association_id: uuid(),
  user_id: text(),
  display_name: optional(text()),
  role: text<Role>(),
  status: text<(typeof MEMBER_STATUSES)[number]>(),
  /** The number of the member's shares in the rotation. */
  hands: smallint(),
  payout_wallet_id: optional(text()),
  /** When they last joined. */
  joined_at: instant(),
  /** How often they have left or been expelled. The locks of a departure are for one tenure. */
  tenure: integer(),
});

export type MemberRow = RowOf<typeof members>;

/** The reader of an association, as a member of it. */
export type Viewer = Pick<MemberRow, 'id' | 'role' | 'status' | 'hands' | 'joined_at'>;

/** The columns of a member that other services may read. */
export type MemberFacts = Omit<MemberRow, 'association_id' | 'tenure'>;
