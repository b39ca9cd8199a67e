/** What a cycle asks of its members and when, and what a request for one must name. */
import { addPeriods, type Frequency } from '../../../lib/calendar/calendar.ts';
import type { EndpointInput } from '../../../lib/contracts/action.ts';
import type { startCycle } from '../../../lib/contracts/contribution.ts';
import { invalid, type FieldComplaint, type Problem } from '../../../lib/errors/problem.ts';

type Body = EndpointInput<typeof startCycle>['body'];
type BodyMember = 'order' | 'member_order' | 'rounds';

/** What a number of hands owes for one round, in minor units (contract, section 4). */
export function dueOf(hands: number, contribution_amount_minor: bigint): bigint {
  return BigInt(hands) * contribution_amount_minor;
}

/** What is still owed of a due; zero outside a cycle, where there is no due. */
export function outstandingOf(due_minor: bigint | null, paid_minor: bigint): bigint {
  return due_minor === null || paid_minor >= due_minor ? 0n : due_minor - paid_minor;
}

/** `YYYY-MM-DD` cannot express a year after 9999. */
const WRITABLE_DAY = /^\d{4}-\d{2}-\d{2}$/;

/**
 * The day of each round, the first on `starts_on`: round n lies n−1 periods after it, counted from `starts_on` itself.
 * Undefined if the last one would lie beyond the year 9999.
 */
export function dueDays(starts_on: string, frequency: Frequency, rounds: number): string[] | undefined {
  if (!WRITABLE_DAY.test(addPeriods(starts_on, frequency, rounds - 1))) return undefined;
  return Array.from({ length: rounds }, (_, index) => addPeriods(starts_on, frequency, index));
}

/**
 * Whether a round may be on this day: not before the previous round, nor after the next one. Null for a neighbour that
 * does not exist. Days are `YYYY-MM-DD`, so texts sort by time.
 */
export function keepsOrder(due_on: string, before: string | null, after: string | null): boolean {
  return (before === null || before <= due_on) && (after === null || due_on <= after);
}

/**
 * What the request alone decides: `manual` needs an order of members, the other orders take none.
 * @throws validation_failed
 */
export function checkOrder({ order, member_order }: Body): void {
  if (order === 'manual' && member_order === undefined) {
    throw invalid(required('member_order', 'The order `manual` needs member_order.'));
  }
  if (order !== undefined && order !== 'manual' && member_order !== undefined) {
    throw invalid(notAllowed('member_order', 'Only the order `manual` takes this.'));
  }
}

/**
 * What the association's type decides: a tontine needs an order, and its rounds follow from its hands; savings need
 * rounds and have no order.
 * @throws validation_failed with every complaint
 */
export function checkOrderOfType(type: 'tontine' | 'savings', { order, member_order, rounds }: Body): void {
  const complaints =
    type === 'tontine'
      ? [
          ...(order === undefined ? [required('order', 'A tontine needs an order of its hands.')] : []),
          ...(rounds === undefined ? [] : [notAllowed('rounds', 'The rounds of a tontine follow from its hands.')]),
        ]
      : [
          ...(order === undefined ? [] : [notAllowed('order', 'Savings have no turns to put in order.')]),
          ...(member_order === undefined ? [] : [notAllowed('member_order', 'Savings have no turns to put in order.')]),
          ...(rounds === undefined ? [required('rounds', 'A cycle of savings needs its number of rounds.')] : []),
        ];
  if (complaints.length > 0) throw invalid(...complaints);
}

function required(member: BodyMember, detail: string): FieldComplaint {
  return { pointer: `/${member}`, code: 'required', detail };
}

function notAllowed(member: BodyMember, detail: string): FieldComplaint {
  return { pointer: `/${member}`, code: 'not_allowed', detail };
}

/** The refusal of a manual order that does not name each member once per hand. */
export function memberOrderMismatch(): Problem {
  return invalid({
    pointer: '/member_order',
    code: 'member_order_mismatch',
    detail: 'member_order must name each member exactly once per hand, and no one else.',
  });
}

export function lastRoundTooLate(): Problem {
  return invalid({
    pointer: '/starts_on',
    code: 'last_round_too_late',
    detail: 'The last round would be due after the year 9999.',
  });
}
