import { randomInt } from 'node:crypto';
import { V7Generator } from 'uuidv7';
import type { Clock } from './clock.ts';

const UINT32_VALUES = 2 ** 32;

/** Returns the id source of one process. */
export function uuidV7Source(clock: Clock): () => string {
  // For randomInt(), Node reads many random bytes at a time: a call of the random source for each id would cost far more.
  const generator = new V7Generator({ nextUint32: () => randomInt(UINT32_VALUES) });
  // If the clock is set back by less than this, ids stay in order; further back, the order restarts at the new time.
  const rollback_tolerance_ms = 10_000;
  return () => generator.generateOrResetCore(clock().getTime(), rollback_tolerance_ms).toString();
}
