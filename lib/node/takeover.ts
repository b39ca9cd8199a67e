/**
 * When another process takes over the work of one that was killed or frozen, for everything that a process takes on: sagas,
 * idempotency keys, meetings that settle, and events.
 */

/** Work without a sign of life for this long is taken over. The goal is to finish all of it within 5 s. */
export const ABANDONED_AFTER_MS = 3_000;

/** How often a process shows that it still works, before its work counts as abandoned. */
const SIGNS_OF_LIFE = 3;

/** Far longer than any work that does not hang: after this, others take it over. */
const RENEWED_MAX_MS = 30_000;

/**
 * Runs `work`, and meanwhile calls `renew` repeatedly, which shows that the work is not abandoned.
 * @param renew must not throw
 */
export async function renewWhile<T>(
  renew: () => void,
  work: () => Promise<T>,
  abandoned_after_ms = ABANDONED_AFTER_MS,
): Promise<T> {
  const began_ms = performance.now();
  const renewing = setInterval(() => {
    if (performance.now() - began_ms < RENEWED_MAX_MS) renew();
    else clearInterval(renewing);
  }, abandoned_after_ms / SIGNS_OF_LIFE);
  try {
    return await work();
  } finally {
    clearInterval(renewing);
  }
}
