import type { ActionSchema, Logger } from 'moleculer';
import { advanceClock, readClock, setClockCommand } from '../../../lib/contracts/clock.ts';
import type { Db } from '../../../lib/db/db.ts';
import { invalid } from '../../../lib/errors/problem.ts';
import { requireScope } from '../../../lib/service/authorize-caller.ts';
import { call, callEveryNode, type CanCall } from '../../../lib/service/call.ts';
import { implementCommand } from '../../../lib/service/implement.ts';
import { servicesWithClock } from '../../../lib/service/test-clock.ts';
import { implementWrite } from '../../../lib/service/implement-write.ts';
import type { MembershipDeps } from '../deps.ts';

const SCOPE = 'clock:advance';

/** A process that does what is due may have much to do: a whole cycle may be late. */
const RUN_DUE_TIMEOUT_MS = 60_000;

/** Returns the actions of the test clock; none without CLOCK=test. */
export function advanceClockActions(deps: MembershipDeps): Record<string, ActionSchema> {
  const { db, runtime } = deps;
  const { testClock, systemClock } = runtime;
  if (testClock === undefined) return {};
  return {
    advance_clock: implementWrite(deps, advanceClock, async ({ body }, caller, ctx) => {
      requireScope(caller, SCOPE);
      const advance_to = new Date(body.advance_to);
      const offset_ms = await storeAdvance(db, advance_to, advance_to.getTime() - systemClock().getTime());
      if (offset_ms === undefined) throw tooEarly(testClock.now());
      await setEverywhere(ctx, offset_ms);
      return { now: testClock.now().toISOString() };
    }),
    read_clock: implementCommand(readClock, async () => ({ offset_ms: await readOffset(db) })),
  };
}

/**
 * Warns of a database whose clock a test has advanced, if this process does not use it: its times are later than now, so fines,
 * locks and deadlines of these data are wrong.
 */
export async function warnOfTestClock(
  { db, runtime }: Pick<MembershipDeps, 'db' | 'runtime'>,
  log: Logger,
): Promise<void> {
  const offset_ms = runtime.testClock === undefined ? await readOffset(db) : 0;
  if (offset_ms > 0) {
    log.warn('the test clock of these data is ahead of the time: set CLOCK=test, or use other data', { offset_ms });
  }
}

/**
 * The order in which services do what is due. Expired approvals come before fines, as a due that waits for an approval is not late.
 */
const DUE_ORDER: readonly string[] = ['governance', 'contribution', 'treasury', 'membership'];

/** Sets the clock of all processes first, so that what one of them then does is not early for another. Further services follow. */
async function setEverywhere(via: CanCall, offset_ms: number): Promise<void> {
  const further = servicesWithClock(via).filter((service) => !DUE_ORDER.includes(service));
  const commands = [...DUE_ORDER, ...further].map((service) => setClockCommand(service));
  await Promise.all(commands.map((each) => callEveryNode(via, each, { offset_ms, run_due: false })));
  for (const each of commands) await call(via, each, { offset_ms, run_due: true }, RUN_DUE_TIMEOUT_MS);
}

/**
 * Stores how far the clock is advanced.
 * @returns the offset from the system's clock; undefined, with nothing stored, if the clock would go back
 */
async function storeAdvance(db: Db, advance_to: Date, offset_ms: number): Promise<number | undefined> {
  const row = await db.first<{ offset_ms: bigint }>(
    `UPDATE test_clocks
     SET advanced_to = $1, offset_ms = CASE WHEN advanced_to = $1 THEN offset_ms ELSE $2 END
     WHERE advanced_to = $1 OR offset_ms <= $2 RETURNING offset_ms`,
    [advance_to, offset_ms],
  );
  return row && Number(row.offset_ms);
}

async function readOffset(db: Db): Promise<number> {
  const row = await db.first<{ offset_ms: bigint }>('SELECT offset_ms FROM test_clocks');
  return Number(row?.offset_ms ?? 0n);
}

function tooEarly(now: Date) {
  const detail = `The clock never goes back: it shows ${now.toISOString()}.`;
  return invalid({ pointer: '/advance_to', code: 'too_small', detail });
}
