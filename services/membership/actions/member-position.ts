import type { Position } from '../../../lib/paging/cursors.ts';
import type { MemberRecord } from '../members/member.table.ts';

/** Where a member stands in lists: by when he joined, then by his id. */
export function positionOf(member: Pick<MemberRecord, 'id' | 'joined_at'>): Position {
  return [member.joined_at.toISOString(), member.id];
}

/** The same, read from a cursor. */
export function memberPosition(position: Position | null): { joined_at: string; member_id: string } | null {
  if (position === null) return null;
  const [joined_at = '', member_id = ''] = position;
  return { joined_at, member_id };
}
