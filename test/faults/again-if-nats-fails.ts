import { setTimeout as sleep } from 'node:timers/promises';
import { NatsError } from 'nats';

/** NATS needs up to 9 s to choose a leader. */
const ATTEMPTS = 10;
const RETRY_MS = 1_000;

/**
 * Uses the stream again from the beginning if NATS cannot answer, as happens in one of 150 runs: it does not find the consumer that
 * it has just made, or chooses a leader.
 */
export async function againIfNatsFails<T>(use: () => Promise<T>, attempts = ATTEMPTS): Promise<T> {
  try {
    return await use();
  } catch (error) {
    if (attempts === 1 || !(error instanceof NatsError)) throw error;
    await sleep(RETRY_MS);
    return againIfNatsFails(use, attempts - 1);
  }
}
