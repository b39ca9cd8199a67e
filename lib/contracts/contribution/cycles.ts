import * as t from '../fields.ts';
import { chapter } from '../action.ts';
import { rules } from '../membership/rules.ts';

export const ROTATION_ORDERS = ['join', 'draw', 'manual'] as const;
export const CYCLE_STATUSES = ['running', 'completed'] as const;

/** Daily meetings in a leap year. */
const SAVINGS_MAX_ROUNDS = 366;

const startsOn = 'The day of the first round.';
export const rulesVersion = () => t.integer(1, t.UNBOUNDED, 'The version of the rules that apply.', 1);

const hand = t.record('Hand', {
  position: t.integer(1, t.ROTATION_MAX_HANDS, 'Its place in the rotation.', 1),
  member_id: t.memberId('The member who holds it.', t.EXAMPLE.president_id),
  round: t.integer(1, t.ROTATION_MAX_HANDS, 'The round in which it receives the pot.', 1),
});

const cycle = t.record('Cycle', {
  id: t.ownId(t.EXAMPLE.cycle_id),
  association_id: t.associationId(),
  number: t.integer(1, t.UNBOUNDED, 'Counted from 1 in each association.', 1),
  status: t.enumeration(CYCLE_STATUSES, 'It completes when its last round is settled.', 'running'),
  order: t.nullable(t.enumeration(ROTATION_ORDERS, 'How the order of turns was decided; null for savings.', 'draw')),
  seed: t.nullable(
    t.sha256(
      'For a draw: 256 random bits in hex, generated after the members were fixed. The order is computed from them.',
    ),
  ),
  starts_on: t.date(startsOn, '2026-10-05'),
  contribution_amount: t.money('What each hand owes in each round.', 10_000),
  rules: t.describe(
    rules,
    "The rules of this cycle, except `shortfall`, which follows the association's current rules.",
  ),
  rules_version: rulesVersion(),
  hands: t.list(hand, 'The rotation: all hands in the order of their turns; empty for savings.'),
  rounds: t.integer(1, t.ROTATION_MAX_HANDS, 'The number of rounds. Each is one meeting.', 4),
  created_at: t.at('When it was started.', '2026-10-04T17:02:11.004Z'),
});
export type Cycle = t.Value<typeof cycle>;

const endpoint = chapter('Cycles');

export const startCycle = endpoint({
  name: 'contribution.start_cycle',
  summary: 'Start a cycle',
  description:
    'Fixes the members, their hands, the amount and the rules, and creates all meetings, one for each round. Round n ' +
    'is due n−1 periods after `starts_on`; in a month without that day, on the last day of the month. A tontine ' +
    'requires `order`, and for `manual` also `member_order`; the number of rounds follows from the hands. Savings ' +
    'require `rounds` and do not accept `order`. A cycle cannot be withdrawn, so a draw cannot be repeated.',
  permission: 'start_cycle',
  refuses: [
    'cycle_not_supported',
    'cycle_in_progress',
    'not_enough_members',
    'hands_not_divisible',
    'balance_limit_exceeded',
  ],
  path: t.inAssociation,
  body: {
    starts_on: t.date(`${startsOn} It may be in the past.`, '2026-10-05'),
    order: t.optional(
      t.enumeration(
        ROTATION_ORDERS,
        'The order of turns: required for a tontine, refused for savings. `join`: join order. `draw`: at random. ' +
          '`manual`: as in `member_order`.',
        'draw',
      ),
    ),
    member_order: t.optional(
      t.boundedList(
        t.id(),
        1,
        t.ROTATION_MAX_HANDS,
        'For `manual`: the members in the order of their turns, each as often as they have hands.',
        [t.EXAMPLE.president_id, t.EXAMPLE.member_id, t.EXAMPLE.secretary_id, t.EXAMPLE.treasurer_id],
      ),
    ),
    rounds: t.optional(
      t.integer(1, SAVINGS_MAX_ROUNDS, 'Required for savings; for a tontine it follows from the hands.', 12),
    ),
  },
  status: 201,
  answer: cycle,
  examples: { body: { starts_on: '2026-10-05', order: 'draw' } },
});

export const listCycles = endpoint({
  name: 'contribution.list_cycles',
  summary: 'List cycles',
  description: 'Newest first.',
  permission: 'read',
  path: t.inAssociation,
  query: t.pageQuery,
  answer: t.pageOf(cycle),
});

export const getCycle = endpoint({
  name: 'contribution.get_cycle',
  summary: 'Show a cycle with its rotation',
  description:
    'Any member can compute a drawn order again from `seed` and the members: `npm run verify -- draw <file>`.',
  permission: 'read',
  path: { ...t.inAssociation, cycle_id: t.cycleId() },
  answer: cycle,
});
