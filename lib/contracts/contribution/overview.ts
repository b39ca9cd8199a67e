/** What members owe and when it is their turn, for the overview of a user. */
import * as t from '../fields.ts';
import { always, command } from '../action.ts';
import { fineCode } from '../membership/fine-rules.ts';
import { membershipsOf, OVERVIEW_MAX_ARREARS, OVERVIEW_MAX_DUES, OVERVIEW_MAX_FINES } from '../overview.ts';
import { dueAmounts } from './contributions.ts';

const round = (description: string) => t.integer(1, t.ROTATION_MAX_HANDS, description, 1);

const openDue = t.record('OpenDue', {
  meeting_id: t.meetingId(),
  cycle_id: t.cycleId('Its cycle.'),
  round: round('Its place in the cycle, from 1.'),
  title: t.nullable(t.text(1, t.TITLE_MAX_CODE_POINTS, 'For people.'), null),
  due_on: t.date('The day of the meeting.', '2026-10-05'),
  ...dueAmounts,
});

const ownArrears = t.record('OwnArrears', {
  meeting: t.describe(t.meetingReference, 'The settled round.'),
  amount: t.money('What the caller still owes from it.', 2_000),
  since: t.at('When the round was settled.'),
});

const ownFine = t.record('OwnFine', {
  fine_id: t.fineId(),
  code: fineCode(),
  meeting_id: t.nullable(t.meetingId('The meeting that it is for; null if it is for none.')),
  outstanding: t.money('What is left to pay.', 300),
  assessed_at: t.at('When it was assessed.'),
});

const nextTurn = t.record('NextTurn', {
  cycle_id: t.cycleId('The running cycle.'),
  meeting_id: t.meetingId('The meeting at which they are paid.'),
  round: round('The round.'),
  due_on: t.date('The day of the meeting.', '2026-10-05'),
  expected_amount: t.money(
    'Their share of the pot if every due of the round is paid, before their arrears are deducted.',
    40_000,
  ),
});

/** What contribution knows of a membership. */
export const ownFigures = {
  dues: t.list(
    openDue,
    `What the caller still owes for the rounds of the running cycle that are not settled, soonest first, at most ` +
      `${String(OVERVIEW_MAX_DUES)}.`,
  ),
  owes: t.money('The arrears of the caller from settled rounds.', 2_000),
  is_owed: t.money('The arrears that others owe to the caller.', 0),
  arrears: t.list(
    ownArrears,
    `The arrears of the caller by settled round, oldest first, at most ${String(OVERVIEW_MAX_ARREARS)}.`,
  ),
  fines_outstanding: t.money('What the caller owes in fines.', 300),
  fines: t.list(ownFine, `The fines of the caller that are due, oldest first, at most ${String(OVERVIEW_MAX_FINES)}.`),
  next_turn: t.describe(
    t.nullable(nextTurn),
    'The next round of the running cycle in which a hand of the caller receives the pot; null if there is none.',
  ),
};

/** Reads what these members owe, are owed and will receive, for each membership. */
export const overview = command({
  name: 'contribution.overview',
  reads: always,
  /** The currency of an association never changes. */
  input: { memberships: membershipsOf({ currency: t.currency() }) },
  answer: t.object({ associations: t.list(t.object({ association_id: t.id(), ...ownFigures })) }),
});
export type OwnFigures = t.Value<typeof overview.answer>['associations'][number];
