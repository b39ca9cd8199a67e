import { readLines, type Exchange, type Json } from './exchange.ts';

/** What the recorder needs to know of a request. */
export interface RecordedRequest {
  user: string;
  method: string;
  /** Relative to the API's base, with its query. */
  path: string;
  body?: unknown;
  headers?: Record<string, string>;
}

/** What it needs to know of an answer. */
export interface RecordedAnswer {
  status: number;
  text: string;
}

export interface Recorder {
  /**
   * Returns a function that sends requests like `send` and records them. A rejection of `send` is recorded as a request
   * without an answer, and thrown again.
   */
  wrap<R extends RecordedRequest, A extends RecordedAnswer>(
    send: (request: R) => Promise<A>,
  ): (request: R) => Promise<A>;
  /** The requests so far, also those that are still in flight, in the order of their calls. */
  history(): Exchange[];
}

/** Fields that are secret, and of no use for a check. */
const SECRETS = new Set(['pin', 'current_pin', 'secret', 'code']);

/**
 * Creates a recorder.
 * @param now the monotonic clock of all clients whose requests it records
 */
export function createRecorder(now: () => number = () => performance.now()): Recorder {
  const exchanges: Exchange[] = [];
  return {
    wrap: (send) => async (request) => {
      const exchange: Exchange = {
        called: now(),
        returned: null,
        user: request.user,
        method: request.method,
        path: request.path,
        key: keyOf(request.headers ?? {}),
        sent: withoutSecrets(request.body),
        status: null,
        received: {},
      };
      exchanges.push(exchange);
      const answer = await send(request);
      // The time is read before anything else, as the effect was before the answer arrived.
      exchange.returned = now();
      exchange.status = answer.status;
      exchange.received = receivedOf(request.path, answer);
      return answer;
    },
    history: () => [...exchanges],
  };
}

function keyOf(headers: Record<string, string>): string | null {
  const [, key] = Object.entries(headers).find(([name]) => name.toLowerCase() === 'idempotency-key') ?? [];
  return key ?? null;
}

function withoutSecrets(body: unknown): Json {
  if (typeof body !== 'object' || body === null) return {};
  return Object.fromEntries(Object.entries(body).filter(([name]) => !SECRETS.has(name)));
}

/** The path of an answer in NDJSON. One line of it would be JSON too. */
const LINES = /\/ledger\/export$/;

function receivedOf(path: string, { status, text }: RecordedAnswer): Json {
  if (status === 200 && LINES.test(path)) return { data: readLines(text) };
  try {
    const body = JSON.parse(text) as unknown;
    return typeof body === 'object' && body !== null ? (body as Json) : {};
  } catch {
    // An answer of another type has nothing to check.
    return {};
  }
}
