import { bigint, bool, instant, key, table } from '../../../lib/db/table.ts';

/** How far the test clock was advanced, in one row. Without CLOCK=test it is not used. */
export const testClocks = table('test_clocks', {
  is_only: key(bool()),
  /** The last time to which it was advanced, by which a repeat is recognized. */
  advanced_to: instant(),
  /** By how much it is ahead of the system's clock. */
  offset_ms: bigint(),
});
