/** The parts of the test clock that every service with tables has (ADR 32). */
import type { ActionSchema } from 'moleculer';
import { readClock, setClockCommand } from '../contracts/clock.ts';
import type { TestClock } from '../node/test-clock.ts';
import { call, isServed, type CanCall } from './call.ts';
import { implementCommand } from './implement.ts';
import type { RecurringJob } from './recurring-job.ts';

/** Short, as a process that has just started is not ready until then. */
const FOLLOW_EVERY_MS = 200;

/** Returns the job with which a process learns how far the clock was advanced before it started. */
export function followClock(clock: TestClock, via: CanCall): RecurringJob {
  const run = async () => {
    if (isServed(via, readClock)) clock.advance((await call(via, readClock, {})).offset_ms);
  };
  return { name: 'test clock', every_ms: FOLLOW_EVERY_MS, run };
}

/** Returns the services that have a test clock, also further ones. */
export function servicesWithClock({ broker, registry = broker?.registry }: CanCall): string[] {
  const actions = (registry?.getActionList({ onlyAvailable: true }) ?? []) as unknown as { name: string }[];
  const suffix = setClockCommand('').name;
  return actions.filter(({ name }) => name.endsWith(suffix)).map(({ name }) => name.slice(0, -suffix.length));
}

interface ClockedService {
  service: string;
  runtime: { testClock?: TestClock | undefined };
  runDueJobs: () => Promise<void>;
}

/** Returns the action that sets the clock of this process; none without CLOCK=test. */
export function testClockActions({ service, runtime, runDueJobs }: ClockedService): Record<string, ActionSchema> {
  const { testClock } = runtime;
  if (testClock === undefined) return {};
  const set_clock = implementCommand(setClockCommand(service), async ({ offset_ms, run_due }) => {
    testClock.advance(offset_ms);
    if (run_due) await runDueJobs();
    return {};
  });
  return { set_clock };
}
