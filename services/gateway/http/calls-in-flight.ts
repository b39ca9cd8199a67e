import type { EventEmitter } from 'node:events';
import { problem } from '../../../lib/errors/problem.ts';

/**
 * How many requests begin in one turn of the event loop while most are refused. A refusal waits for all that its turn does. On two
 * cores shared by all processes, at 3 times the capacity, the p99 of refusals in the median second was about 30 ms with two and 55 with
 * four; with one it was not less, but only half as many were answered. All were measured with CALLS_MAX=256.
 */
const BEGUN_PER_TURN = 2;

/**
 * Requests begin slowly after a period in which more were refused than begun. While fewer are refused it would be wrong: at 90 % of
 * the capacity 1 000 a second were answered then instead of 1 200, and the overload of a short peak lasted.
 */
const PERIOD_MS = 100;

/**
 * What part of the maximum writes may take. While a disk hangs, all writes wait for it. In hangs of 0.8 s at 700 requests a second, a
 * fifth of them writes, they took all calls, and 1 280 of 33 600 reads were refused, too; with a part of their own 23 of 33 600.
 */
const SHARE_OF_WRITES = 0.8;

/**
 * While no write succeeds for this long, four times as many may wait: services that stand still do nothing, so that a refusal does not
 * help them. A virtual disk hung for about a second once in a minute, and once for 2.5 s, in which 140 writes a second are 350. At three
 * times the capacity one succeeds every few milliseconds. Refusals do not count, as many of them need no disk.
 */
const STALL_MS = 500;
const STALL_FACTOR = 4;

/** What answers may hold that clients have not read yet: an eighth of the memory of a pod (deploy/kubernetes). */
const UNSENT_MAX_BYTES = 64 * 1024 * 1024;

/** The calls of services that one gateway waits for, and the answers that it has not sent yet. */
export interface CallsInFlight {
  /**
   * Resolves when the request may begin.
   * @throws overloaded, as check() does
   */
  admit(kind: RequestKind): Promise<void>;
  /**
   * @throws overloaded while the gateway waits for the maximum number of calls or, for a write, of writes (four times as many in a
   * stall), or holds the maximum of unread answers
   */
  check(kind: RequestKind): void;
  /** Counts the bytes of an answer until the client has read it, or is gone. */
  holdUntilSent(answer: Pick<EventEmitter, 'once'> & { destroyed: boolean }, bytes: number): void;
  /** Counts a call until it is answered. It does not check the maximum: an answer that has begun needs further calls. */
  count<T>(kind: RequestKind, call: () => Promise<T>): Promise<T>;
}

export type RequestKind = 'read' | 'write';

/** What a request is counted as: a write that exceeds their part is one of a stall until it is answered. */
type Place = RequestKind | 'stalled';

/** Returns the kind of a request by its HTTP method. */
export const kindOf = (method: string | undefined): RequestKind =>
  method === 'GET' || method === 'HEAD' ? 'read' : 'write';

/**
 * Limits the calls in flight. Beyond the capacity of the services each further call only makes all others wait longer, so it
 * is refused immediately. Bodies that are being received and answers that are being sent are no calls: otherwise slow clients could
 * use up the limit.
 * @param elapsed_ms a clock that only advances
 */
export function limitCalls(calls_max: number, elapsed_ms = () => performance.now()): CallsInFlight {
  // One error for all: recording where it was made would take a quarter of the time of a refusal, 18 µs of 68.
  const overloaded = problem('overloaded');
  const writes_max = Math.max(1, Math.floor(calls_max * SHARE_OF_WRITES));
  /** Calls in flight, and requests that begin in a later turn. */
  const taken: Record<Place, number> = { read: 0, write: 0, stalled: 0 };
  /** When a write last succeeded, or began while there was no other. */
  let writes_moved_ms = 0;
  /** Requests that begin in a later turn. */
  const waiting: (() => void)[] = [];
  let begun_this_turn = 0;
  let unsent_bytes = 0;
  /** What has come in the present period. */
  const period = { begun: 0, refused: 0, ends_ms: 0 };
  /** Whether most were refused in the last period. */
  let isSlow = false;

  function startPeriod(now_ms: number): void {
    // Only a period that follows directly says how many are refused now.
    isSlow = now_ms < period.ends_ms + PERIOD_MS && period.refused > period.begun;
    Object.assign(period, { begun: 0, refused: 0, ends_ms: now_ms + PERIOD_MS });
  }

  /**
   * After a stall the writes that it held up do not take the part of those that follow: otherwise all would be refused until the
   * services have done four times as many as they do at once.
   */
  const placeOf = (kind: RequestKind): Place => (kind === 'write' && taken.write >= writes_max ? 'stalled' : kind);

  function take(kind: RequestKind): Place {
    if (kind === 'write' && taken.write === 0) writes_moved_ms = elapsed_ms();
    const place = placeOf(kind);
    taken[place] += 1;
    return place;
  }

  function hasRoom(kind: RequestKind): boolean {
    if (placeOf(kind) !== 'stalled') return taken.read + taken.write < calls_max;
    return elapsed_ms() - writes_moved_ms > STALL_MS && taken.stalled < writes_max * (STALL_FACTOR - 1);
  }

  function check(kind: RequestKind): void {
    if (hasRoom(kind) && unsent_bytes < UNSENT_MAX_BYTES) return;
    period.refused += 1;
    throw overloaded;
  }

  function beginTurn(): void {
    const next = waiting.splice(0, isSlow ? BEGUN_PER_TURN : waiting.length);
    begun_this_turn = next.length;
    for (const begin of next) begin();
    if (next.length > 0) setImmediate(beginTurn);
  }

  return {
    check,
    async admit(kind) {
      const now_ms = elapsed_ms();
      if (now_ms >= period.ends_ms) startPeriod(now_ms);
      check(kind);
      period.begun += 1;
      if (!isSlow) return;
      if (begun_this_turn === 0) setImmediate(beginTurn);
      if (begun_this_turn < BEGUN_PER_TURN) {
        begun_this_turn += 1;
        return;
      }
      const place = take(kind);
      await new Promise<void>((resolve) => waiting.push(resolve));
      taken[place] -= 1;
    },
    holdUntilSent(answer, bytes) {
      // The client was gone before there was an answer, so that no `close` follows.
      if (answer.destroyed) return;
      unsent_bytes += bytes;
      answer.once('close', () => (unsent_bytes -= bytes));
    },
    async count(kind, call) {
      const place = take(kind);
      try {
        const answer = await call();
        if (kind === 'write') writes_moved_ms = elapsed_ms();
        return answer;
      } finally {
        taken[place] -= 1;
      }
    },
  };
}
