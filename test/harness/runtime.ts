import { randomBytes } from 'node:crypto';
import type { Logger } from 'moleculer';
import { uuidV7Source } from '../../lib/node/runtime.ts';

const silent = () => undefined;

/** A log that is thrown away. */
export const quietLog: Logger = {
  fatal: silent,
  error: silent,
  warn: silent,
  info: silent,
  debug: silent,
  trace: silent,
};

export const testClock = (): Date => new Date();

/** Fresh UUIDv7s. */
export function testIds(): () => string {
  return uuidV7Source(testClock, () => randomBytes(4).readUInt32BE());
}
