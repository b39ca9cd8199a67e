import { problemCode } from './problem.ts';

/** The number of attempts and the waits between them. */
export interface Retries {
  /** The number of attempts, including the first. */
  attempts_max: number;
  /** The maximum wait before the first repeat. It doubles with each repeat; the actual wait is random. */
  backoff_ms: number;
  /** If `Retry-After` is longer than this, the caller gets the answer. */
  wait_max_ms: number;
}

/** Five attempts within a few seconds: enough for a service to restart, and short enough for a person to wait. */
export const DEFAULT_RETRIES: Retries = { attempts_max: 5, backoff_ms: 200, wait_max_ms: 10_000 };

type Fetch = (request: Request) => Promise<Response>;

const HTTP_TOO_MANY_REQUESTS = 429;
const HTTP_UNAVAILABLE = 503;
const HTTP_CONFLICT = 409;

/**
 * Returns a fetch that repeats a request after a lost connection, 429, 503 or `idempotency_in_flight`. This is safe
 * because every write has an Idempotency-Key, and its repeats have the same one.
 */
export function retryingFetch(fetchOnce: Fetch, retries: Retries, random: () => number = Math.random): Fetch {
  return async (request) => {
    for (let attempt = 1; ; attempt += 1) {
      const isLast = attempt >= retries.attempts_max;
      // A body can be sent only once, so each attempt sends a copy.
      const answer = await fetchOnce(isLast ? request : request.clone()).catch((error: unknown) => {
        if (isLast || request.signal.aborted) throw error;
        return undefined;
      });
      if (answer !== undefined && (isLast || !(await isTemporary(answer)))) return answer;
      const wait_ms = waitBefore(attempt, answer, retries, random);
      if (answer !== undefined && wait_ms > retries.wait_max_ms) return answer;
      await answer?.body?.cancel();
      await sleep(wait_ms, request.signal);
    }
  };
}

/** Whether the same request may succeed if it is repeated. */
async function isTemporary(answer: Response): Promise<boolean> {
  if (answer.status === HTTP_TOO_MANY_REQUESTS || answer.status === HTTP_UNAVAILABLE) return true;
  return answer.status === HTTP_CONFLICT && (await problemCode(answer)) === 'idempotency_in_flight';
}

function waitBefore(attempt: number, answer: Response | undefined, retries: Retries, random: () => number): number {
  const asked_s = Number(answer?.headers.get('Retry-After') ?? Number.NaN);
  if (Number.isFinite(asked_s) && asked_s > 0) return asked_s * 1_000;
  return Math.min(retries.backoff_ms * 2 ** (attempt - 1), retries.wait_max_ms) * random();
}

function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal.reason as Error);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', stop);
      resolve();
    }, ms);
    signal.addEventListener('abort', stop, { once: true });
  });
}
