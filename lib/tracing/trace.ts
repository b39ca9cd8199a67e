/** W3C Trace Context (https://www.w3.org/TR/trace-context/): the headers `traceparent` and `tracestate`. */

export interface Trace {
  traceparent: string;
  tracestate?: string;
}

/** A span's id has 8 bytes, a trace's 16. */
const SPAN_ID_DIGITS = 16;

/** Version 00, to which later versions may append; version ff is forbidden. */
const TRACEPARENT = /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-([0-9a-f]{2})(?<more>-.*)?$/;

const NOT_SAMPLED = '00';

/** The limits that every implementation should be able to pass on (W3C Trace Context, section 3.3.1). */
const TRACESTATE_MAX_CHARACTERS = 512;
const TRACESTATE_MAX_MEMBERS = 32;
const TRACESTATE_KEY = /^[a-z0-9][a-z0-9_\-*/@]{0,255}$/;
const TRACESTATE_VALUE = /^[\x20-\x2b\x2d-\x3c\x3e-\x7e]{0,255}[\x21-\x2b\x2d-\x3c\x3e-\x7e]$/;

/** Returns the trace in a request's headers; undefined if there is none, or it is malformed. */
export function readTrace(traceparent: unknown, tracestate: unknown): Trace | undefined {
  const [, version = '', trace_id, flags = NOT_SAMPLED, more] =
    (typeof traceparent === 'string' && TRACEPARENT.exec(traceparent)) || [];
  // Version 00 has nothing after its flags.
  if (trace_id === undefined || (version === '00' && more !== undefined)) return undefined;
  const read = { traceparent: `00-${trace_id}-${(traceparent as string).split('-')[2] ?? ''}-${flags}` };
  return isTracestate(tracestate) ? { ...read, tracestate } : read;
}

/**
 * Returns a trace with a new span.
 * @param randomUUID returns a UUID of version 4. Node reads random bytes for many UUIDs at a time, so that one takes 0.4 µs
 *   of CPU; reading random bytes for each request takes 2.3 µs
 */
export function continuedTrace({ traceparent, tracestate }: Trace, randomUUID: () => string): Trace {
  const [version = '', trace_id = '', , flags = NOT_SAMPLED] = traceparent.split('-');
  const continued = { traceparent: `${version}-${trace_id}-${newSpanId(randomUUID)}-${flags}` };
  return tracestate === undefined ? continued : { ...continued, tracestate };
}

/** Returns a new trace, which is not sampled. */
export function newTrace(randomUUID: () => string): Trace {
  return { traceparent: `00-${randomUUID().replaceAll('-', '')}-${newSpanId(randomUUID)}-${NOT_SAMPLED}` };
}

function newSpanId(randomUUID: () => string): string {
  return randomUUID().replaceAll('-', '').slice(0, SPAN_ID_DIGITS);
}

function isTracestate(header: unknown): header is string {
  if (typeof header !== 'string' || header === '' || header.length > TRACESTATE_MAX_CHARACTERS) return false;
  const members = header.split(',').map((member) => member.trim());
  const keys = members.filter((member) => member !== '').map((member) => member.split('=', 1)[0] ?? '');
  if (keys.length === 0 || keys.length > TRACESTATE_MAX_MEMBERS || new Set(keys).size !== keys.length) return false;
  return members.every((member) => member === '' || isMember(member));
}

function isMember(member: string): boolean {
  const equals = member.indexOf('=');
  return TRACESTATE_KEY.test(member.slice(0, equals)) && TRACESTATE_VALUE.test(member.slice(equals + 1));
}

/** Returns the trace's id for log lines; undefined without a trace. */
export function traceIdOf(traceparent: string | undefined): string | undefined {
  return traceparent?.split('-')[1];
}
