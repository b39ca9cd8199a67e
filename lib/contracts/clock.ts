/** The test clock, which processes have only with CLOCK=test (ADR 32). */
import * as t from './fields.ts';
import { always, chapter, command, nothing } from './action.ts';

/** The service that stores how far the clock was advanced. */
export const CLOCK_SERVICE = 'membership';

/** Not in the documents, as only tests have it. */
export const advanceClock = chapter('Associations')({
  name: `${CLOCK_SERVICE}.advance_clock`,
  summary: 'Advance the test clock',
  description: 'Answers once all processes have the new time, and what is due by then is done.',
  scope: 'clock:advance',
  body: { advance_to: t.instant('The new time. It must not be before the current one.') },
  answer: t.record('TestClock', { now: t.at('The time of the test clock.') }),
});

const offset = { offset_ms: t.integer(0, t.UNBOUNDED) };

/** Reads by how much the clock is ahead of the system's. */
export const readClock = command({
  name: `${CLOCK_SERVICE}.read_clock`,
  reads: always,
  input: {},
  answer: t.object(offset),
});

/** Defines the command that advances the clock of one process or, with `run_due`, has it do what is due by now. */
export const setClockCommand = <S extends string>(service: S) =>
  command({ name: `${service}.set_clock`, input: { ...offset, run_due: t.boolean() }, answer: nothing });
