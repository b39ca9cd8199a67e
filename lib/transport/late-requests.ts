/**
 * A request that arrives late is not executed, nor one that claims its idempotency key late. It may have waited in the socket or the
 * memory of a process that was frozen, in the network, or for a database, until its client has repeated it and another process has
 * refused the repeat: a refusal must have no effect.
 *
 * The receiver's clock counts, as hosts' clocks differ: its heartbeats say what it shows, and a request says what it showed when the
 * request was sent, as far as its sender knows.
 */
import { Errors, type Logger } from 'moleculer';
import { REMEMBERED_MS } from './lost-messages.ts';

/** More than a request is under way while processes are busy. */
const LATE_AFTER_MS = 1_500;

/**
 * What a sender may not know exactly about the receiver's clock. While NTP corrects one of them, clocks run apart by up to 8 %
 * (chrony's default): that is this much in the 3.6 s of three heartbeats of up to 20 nodes.
 */
const CLOCKS_DIFFER_MAX_MS = 300;

/** A request that has not begun this long after it was sent, or the last copy of it, is not executed any more. */
export const NOT_BEGUN_AFTER_MS = LATE_AFTER_MS + CLOCKS_DIFFER_MAX_MS;

/** How often the log says that requests are late. A process that was frozen gets many at once. */
const WARN_EVERY_MS = 10_000;

/** This process's clock, which is never set. It counts from the clock's time at the start, as a process may replace another one. */
export function clock_ms(): number {
  return performance.timeOrigin + performance.now();
}

/**
 * The latest readings of a clock that count. Each is too early by the time that it was under way, or lay in the socket of this process,
 * so the greatest is the best; older ones do not count, as the clock stands still while its host is suspended.
 */
const READINGS = 3;

/** The clocks of other nodes. */
export interface NodeClocks {
  /**
   * @param instance the node's process, whose clock counts
   * @param shown_ms the time that it showed when the process sent the message that has just arrived
   */
  heard(node: object, instance: string, shown_ms: number, now_ms: number): void;
  /** Returns the time that the node's clock shows now, as far as is known; undefined if the node has not said it. */
  timeOf(node: object, now_ms: number): number | undefined;
}

export function nodeClocks(): NodeClocks {
  const clocks = new WeakMap<object, { instance: string; ahead_ms: number[] }>();
  return {
    heard(node, instance, shown_ms, now_ms) {
      const known = clocks.get(node);
      const earlier = known?.instance === instance ? known.ahead_ms : [];
      clocks.set(node, { instance, ahead_ms: [shown_ms - now_ms, ...earlier].slice(0, READINGS) });
    },
    timeOf(node, now_ms) {
      const clock = clocks.get(node);
      return clock && now_ms + Math.max(...clock.ahead_ms);
    },
  };
}

/**
 * Whether a request is not to be executed. A time that is still to come shows that this process's host was suspended after its
 * heartbeat, so that the age of the request is unknown.
 * @param sent_ms the time of this process's clock when the request was sent; undefined from nodes of release 0.1.0
 */
export function isLate(sent_ms: number | undefined, now_ms: number): boolean {
  if (sent_ms === undefined) return false;
  const age_ms = now_ms - sent_ms;
  return age_ms > LATE_AFTER_MS || age_ms < -CLOCKS_DIFFER_MAX_MS;
}

/**
 * When the calls that this process executes were sent, by its clock. By their metadata, as Moleculer passes on nothing else that
 * could identify them.
 */
const sentAt = new WeakMap<object, number>();

/** Notes when a call was sent that is to be executed. */
export function noteSent(meta: object, sent_ms: number): void {
  sentAt.set(meta, sent_ms);
}

/** Whether a call must not begin any more, as it has waited for long since it arrived. A call within this process is never late. */
export function hasBecomeLate({ meta }: { meta: object }, now_ms = clock_ms()): boolean {
  return isLate(sentAt.get(meta), now_ms);
}

/** Builds the answer to a late call: it has not run, so that a caller that still waits repeats it. */
export function notRun({ action, broker: { nodeID } }: LateCall): Error {
  return new Errors.ServiceNotAvailableError({ action: action?.name ?? '', nodeID, isLate: true });
}

/** What is told of a late call. */
interface LateCall {
  action?: { name?: string | undefined } | null | undefined;
  broker: { nodeID: string };
}

/**
 * Whether a copy of a request is late, or so much younger than the first message that its receiver may have forgotten that it has
 * executed it. The sender does not notice that if its host was suspended. A copy is then ignored: the first message may have run.
 */
export function isOutdatedCopy(
  { first_ms, sent_ms }: { first_ms?: number; sent_ms?: number },
  now_ms: number,
): boolean {
  if (first_ms === undefined || first_ms === sent_ms) return false;
  return isLate(sent_ms, now_ms) || now_ms - first_ms > REMEMBERED_MS;
}

/** Returns a function that logs that a call is late, but not each one. */
export function lateWarnings(): (log: Pick<Logger, 'warn'>, action: string, sender: string | null) => void {
  let warned_ms = -Infinity;
  return (log, action, sender) => {
    const now_ms = performance.now();
    if (now_ms - warned_ms < WARN_EVERY_MS) return;
    warned_ms = now_ms;
    log.warn('requests are late and are not executed', { action, sender });
  };
}
