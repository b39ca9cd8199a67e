import { setTimeout as delay } from 'node:timers/promises';

/** Far longer than anything takes. */
const WITHIN_MS = 30_000;
const LOOK_EVERY_MS = 20;

/** Waits until something is there, and returns it. @throws Error if that takes long */
export async function until<T>(find: () => T | undefined | Promise<T | undefined>, what: string): Promise<T> {
  for (const end_ms = performance.now() + WITHIN_MS; performance.now() < end_ms; await delay(LOOK_EVERY_MS)) {
    const found = await find();
    if (found !== undefined) return found;
  }
  throw new Error(`${what} has not come`);
}
