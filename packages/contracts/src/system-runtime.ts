import { randomBytes } from 'node:crypto';
import type { ServiceSettings } from '../../../lib/config/other-service.ts';
import { uuidV7Source } from '../../../lib/node/ids.ts';
import { createTestClock, type TestClock } from '../../../lib/node/test-clock.ts';
import type { ServiceRuntime } from '../../../lib/service/define-service.ts';

/** Returns the time and the random source of a real process. */
export function systemRuntime({ clock: setting }: Pick<ServiceSettings, 'clock'>): {
  runtime: ServiceRuntime;
  testClock: TestClock | undefined;
} {
  const systemClock = () => new Date();
  const testClock = setting === 'test' ? createTestClock(systemClock) : undefined;
  const clock = testClock?.now ?? systemClock;
  const runtime = {
    clock,
    systemClock,
    newId: uuidV7Source(clock),
    randomBytes: (length: number) => randomBytes(length),
    reached: () => Promise.resolve(),
  };
  return { runtime, testClock };
}
