import { setTimeout as sleep } from 'node:timers/promises';

/** The pauses between looks grow: what comes soon is seen soon, and what takes long is not slowed down by the looking. */
const FIRST_PAUSE_MS = 10;
const LONGEST_PAUSE_MS = 150;
/** Far beyond what anything takes that happens at all; reached only by what never happens. */
const PATIENCE_MS = 15_000;

/** Waits until `look` no longer throws. @returns what it then gives @throws its last error after `patience_ms` */
export async function eventually<T>(look: () => T | Promise<T>, patience_ms = PATIENCE_MS): Promise<T> {
  const end_ms = Date.now() + patience_ms;
  for (let pause_ms = FIRST_PAUSE_MS; ; pause_ms = Math.min(1.5 * pause_ms, LONGEST_PAUSE_MS)) {
    try {
      return await look();
    } catch (error) {
      if (Date.now() > end_ms) throw error;
    }
    await sleep(pause_ms);
  }
}
