/** What an attempt means for its delivery and its endpoint. */
import type { DeliveryStatus } from '../states.rules.ts';
import { readRetryAfter, retryWaitMs } from './schedule.rules.ts';

/** Why no answer came. None of them contains a host, an address or a text of the receiver. */
export const SEND_ERRORS = [
  'timeout',
  'address_not_allowed',
  'dns_failed',
  'connection_refused',
  'connection_reset',
  'host_unreachable',
  'tls_failed',
  'connection_failed',
  'endpoint_disabled',
] as const;
export type SendError = (typeof SEND_ERRORS)[number];

/** What came of one request. */
export interface Exchange {
  /** Null without an answer. */
  status_code: number | null;
  /** Null with an answer. */
  error: SendError | null;
  retry_after?: string | undefined;
  duration_ms: number;
}

/** The answer of an endpoint that wants no more deliveries. */
const GONE = 410;

export interface Outcome {
  status: DeliveryStatus;
  /** How long until the next attempt; undefined if there is none. */
  wait_ms: number | undefined;
  /** Whether the endpoint is disabled at once. */
  isGone: boolean;
}

/**
 * Decides what becomes of a delivery.
 * @param tries the failed attempts before this one
 * @param real_now the time in which an endpoint states a date
 */
export function judge(exchange: Exchange, tries: number, real_now: Date, random: number): Outcome {
  const { status_code, error, retry_after } = exchange;
  if (status_code !== null && status_code >= 200 && status_code < 300) {
    return { status: 'delivered', wait_ms: undefined, isGone: false };
  }
  const isGone = status_code === GONE;
  const isLast = isGone || error === 'endpoint_disabled';
  const wait_ms = isLast ? undefined : retryWaitMs(tries + 1, readRetryAfter(retry_after, real_now), random);
  return { status: wait_ms === undefined ? 'failed' : 'pending', wait_ms, isGone };
}
