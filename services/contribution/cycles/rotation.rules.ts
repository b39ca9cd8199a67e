/** Plans which member receives the pot in which round: the hands of a cycle in order, each with its round. */
import { drawOrder } from './draw.rules.ts';

/** A member as they were when the cycle started. */
export interface CycleMember {
  readonly member_id: string;
  readonly hands: number;
  /** RFC 3339 in UTC with milliseconds, so strings sort by time. */
  readonly joined_at: string;
}

/** One turn: the hand at this position (from 1) is paid in this round (from 1). */
export interface Hand {
  readonly position: number;
  readonly member_id: string;
  readonly round: number;
}

export interface Rotation {
  /** In order of position; empty for savings, which have no turns. */
  readonly hands: readonly Hand[];
  /** The number of hands of all members. Each hand pays in every round, even in savings. */
  readonly hands_total: number;
  readonly rounds: number;
}

export type RotationOrder =
  | { readonly by: 'join' }
  | { readonly by: 'draw'; readonly seed: Uint8Array }
  | { readonly by: 'manual'; readonly member_order: readonly string[] };
export type RotationRefusal = 'member_order_mismatch' | 'not_enough_members' | 'hands_not_divisible';

/** With one hand, the only member would just receive their own money. */
const HANDS_MIN = 2;

/**
 * Plans a rotation. The number of hands must be at least two and a multiple of `beneficiaries_per_meeting`, and a
 * `member_order` must name each member exactly once per hand.
 */
export function planRotation(
  members: readonly CycleMember[],
  order: RotationOrder,
  beneficiaries_per_meeting: number,
): Rotation | { refused: RotationRefusal } {
  const turns = turnsOf(members, order);
  if (turns === undefined) return { refused: 'member_order_mismatch' };
  if (turns.length < HANDS_MIN) return { refused: 'not_enough_members' };
  if (turns.length % beneficiaries_per_meeting !== 0) return { refused: 'hands_not_divisible' };
  const hands = turns.map((member_id, index) => ({
    position: index + 1,
    member_id,
    round: Math.floor(index / beneficiaries_per_meeting) + 1,
  }));
  return { hands, hands_total: turns.length, rounds: turns.length / beneficiaries_per_meeting };
}

/** Plans a cycle of savings, which has no turns. It requires at least two hands. */
export function planSavings(members: readonly CycleMember[], rounds: number): Rotation | { refused: RotationRefusal } {
  const hands_total = members.reduce((sum, member) => sum + member.hands, 0);
  return hands_total < HANDS_MIN ? { refused: 'not_enough_members' } : { hands: [], hands_total, rounds };
}

/** Sorts the members in join order, and by id if two joined at the same instant. */
export function sortByJoining<M extends Pick<CycleMember, 'member_id' | 'joined_at'>>(members: readonly M[]): M[] {
  return members.toSorted((a, b) => compareText(a.joined_at, b.joined_at) || compareText(a.member_id, b.member_id));
}

/** Whether the order names each member exactly once per hand, and no other member. */
export function coversEveryHand(members: readonly CycleMember[], member_order: readonly string[]): boolean {
  const left = new Map(members.map((member) => [member.member_id, member.hands]));
  for (const member_id of member_order) {
    const hands = left.get(member_id) ?? 0;
    if (hands === 0) return false;
    left.set(member_id, hands - 1);
  }
  return [...left.values()].every((hands) => hands === 0);
}

function turnsOf(members: readonly CycleMember[], order: RotationOrder): string[] | undefined {
  if (order.by === 'join') return turnsByJoining(members);
  return order.by === 'draw' ? drawOrder(order.seed, members) : turnsAsGiven(members, order.member_order);
}

/** Returns the turns in join order. A member's hands follow one another. */
function turnsByJoining(members: readonly CycleMember[]): string[] {
  return sortByJoining(members).flatMap((member) => Array.from({ length: member.hands }, () => member.member_id));
}

function turnsAsGiven(members: readonly CycleMember[], member_order: readonly string[]): string[] | undefined {
  return coversEveryHand(members, member_order) ? [...member_order] : undefined;
}

function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
