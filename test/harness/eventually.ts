import { setTimeout as sleep } from 'node:timers/promises';

/** Pauses grow, so that fast results are noticed soon and slow ones are not delayed by frequent checks. */
const FIRST_PAUSE_MS = 10;
const LONGEST_PAUSE_MS = 150;
/** Much longer than any awaited event takes, so that only an event that never happens reaches it. */
const PATIENCE_MS = 15_000;

/**
 * Waits until `look` no longer throws.
 * @returns the result of `look`
 * @throws the last error of `look` after `patience_ms`
 */
export async function eventually<T>(look: () => T | Promise<T>, patience_ms = PATIENCE_MS): Promise<T> {
  const end_ms = performance.now() + patience_ms;
  for (let pause_ms = FIRST_PAUSE_MS; ; pause_ms = Math.min(1.5 * pause_ms, LONGEST_PAUSE_MS)) {
    try {
      return await look();
    } catch (error) {
      if (performance.now() > end_ms) throw error;
    }
    await sleep(pause_ms);
  }
}
