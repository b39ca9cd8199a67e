import { setTimeout as sleep } from 'node:timers/promises';

const POLL_MS = 20;
/** Far beyond what anything takes that happens by itself; reached only by what never happens. */
const PATIENCE_MS = 15_000;

/** Waits until the assertions hold; fails as they do when they still don't after `patience_ms`. */
export async function eventually(assertions: () => unknown, patience_ms = PATIENCE_MS): Promise<void> {
  for (const end = Date.now() + patience_ms; ; await sleep(POLL_MS)) {
    try {
      await assertions();
      return;
    } catch (error) {
      if (Date.now() > end) throw error;
    }
  }
}
