import { faultOf } from '../runtime/log.ts';

/** How many rows one turn of a sweep takes up at most: they are driven side by side, and the others wait for the next. */
export const SWEEP_MAX_ROWS = 100;

/**
 * Drives what a sweep has taken up, side by side, so that a row which cannot go on keeps no other waiting, and a stop
 * waits for the slowest of them alone. One that fails is logged; the sweep that finds it again tries again.
 * @param what names the rows in the log
 */
export async function driveEach<R extends { id: string }>(
  log: { warn(message: string, fields: object): void },
  what: string,
  rows: readonly R[],
  drive: (row: R) => Promise<unknown>,
): Promise<void> {
  await Promise.all(
    rows.map(async (row) => {
      try {
        await drive(row);
      } catch (error) {
        log.warn('left for a later sweep', { what, id: row.id, ...faultOf(error) });
      }
    }),
  );
}
