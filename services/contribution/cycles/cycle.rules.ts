/** The dues and days of a cycle's rounds, and the checks of a request to start a cycle. */
import { addPeriods, type Frequency } from '../../../lib/calendar/calendar.ts';
import type { EndpointInput } from '../../../lib/contracts/action.ts';
import type { startCycle } from '../../../lib/contracts/contribution.ts';
import { invalid, type FieldComplaint, type Problem } from '../../../lib/errors/problem.ts';

type Body = EndpointInput<typeof startCycle>['body'];
type BodyMember = 'order' | 'member_order' | 'rounds';

/** Returns what a number of hands owes for one round, in minor units. */
export function dueOf(hands: number, contribution_amount_minor: bigint): bigint {
  return BigInt(hands) * contribution_amount_minor;
}

/** Returns what is still owed of a due, in minor units; zero outside a cycle, where there is no due. */
export function outstandingOf(due_minor: bigint | null, paid_minor: bigint): bigint {
  return due_minor === null || paid_minor >= due_minor ? 0n : due_minor - paid_minor;
}

/** `YYYY-MM-DD` cannot express a year after 9999. */
const WRITABLE_DAY = /^\d{4}-\d{2}-\d{2}$/;

/**
 * Returns the day of each round: round n is n−1 periods after `starts_on`, always counted from `starts_on` itself.
 * @returns undefined if the last round would be after the year 9999
 */
export function dueDays(starts_on: string, frequency: Frequency, rounds: number): string[] | undefined {
  if (!WRITABLE_DAY.test(addPeriods(starts_on, frequency, rounds - 1))) return undefined;
  return Array.from({ length: rounds }, (_, index) => addPeriods(starts_on, frequency, index));
}

/**
 * Whether a round may be on this day: not before the previous round, and not after the next one. Days are `YYYY-MM-DD`,
 * so strings sort by time.
 * @param before the day of the previous round; null if there is none
 * @param after the day of the next round; null if there is none
 */
export function keepsOrder(due_on: string, before: string | null, after: string | null): boolean {
  return (before === null || before <= due_on) && (after === null || due_on <= after);
}

/**
 * Checks what the request alone decides: the order `manual` requires `member_order`, and the other orders forbid it.
 * @throws validation_failed
 */
export function checkOrder({ order, member_order }: Body): void {
  if (order === 'manual' && member_order === undefined) {
    throw invalid(required('member_order', 'The order `manual` requires member_order.'));
  }
  if (order !== undefined && order !== 'manual' && member_order !== undefined) {
    throw invalid(notAllowed('member_order', 'Only the order `manual` accepts member_order.'));
  }
}

/**
 * Checks what the association's type decides: a tontine requires an order, and its rounds follow from its hands; savings
 * require a number of rounds and have no order.
 * @throws validation_failed with every complaint
 */
export function checkOrderOfType(type: 'tontine' | 'savings', { order, member_order, rounds }: Body): void {
  const complaints: FieldComplaint[] = [];
  if (type === 'tontine') {
    if (order === undefined) complaints.push(required('order', 'A tontine requires an order of its hands.'));
    if (rounds !== undefined) complaints.push(notAllowed('rounds', 'The rounds of a tontine follow from its hands.'));
  } else {
    if (order !== undefined) complaints.push(notAllowed('order', 'Savings have no turns to put in order.'));
    if (member_order !== undefined) {
      complaints.push(notAllowed('member_order', 'Savings have no turns to put in order.'));
    }
    if (rounds === undefined) complaints.push(required('rounds', 'A cycle of savings requires its number of rounds.'));
  }
  if (complaints.length > 0) throw invalid(...complaints);
}

function required(member: BodyMember, detail: string): FieldComplaint {
  return { pointer: `/${member}`, code: 'required', detail };
}

function notAllowed(member: BodyMember, detail: string): FieldComplaint {
  return { pointer: `/${member}`, code: 'not_allowed', detail };
}

/** Returns the refusal of a manual order that does not name each member exactly once per hand. */
export function memberOrderMismatch(): Problem {
  return invalid({
    pointer: '/member_order',
    code: 'member_order_mismatch',
    detail: 'member_order must name each member exactly once per hand, and no other member.',
  });
}

/** Returns the refusal of a cycle whose last round would be after the year 9999. */
export function lastRoundTooLate(): Problem {
  return invalid({
    pointer: '/starts_on',
    code: 'last_round_too_late',
    detail: 'The last round would be due after the year 9999.',
  });
}
