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

/** Section 3.3.1: what every implementation should be able to pass on. */
const TRACESTATE_MAX_CHARACTERS = 512;
const TRACESTATE_MAX_MEMBERS = 32;
const TRACESTATE_KEY = /^[a-z0-9][a-z0-9_\-*/@]{0,255}$/;
const TRACESTATE_VALUE = /^[\x20-\x2b\x2d-\x3c\x3e-\x7e]{0,255}[\x21-\x2b\x2d-\x3c\x3e-\x7e]$/;

/**
 * The trace of a request: the client's, with a new span of ours, or a new trace, which is not sampled. `tracestate` is
 * passed on if it is well-formed and belongs to a trace.
 * @param randomUUID of version 4. Node makes it of random bytes that it has read before, which takes 0.4 µs of CPU: reading
 *   new ones for each request takes 2.3 µs.
 */
export function continuedTrace(traceparent: unknown, tracestate: unknown, randomUUID: () => string): Trace {
  const [, version = '', trace_id, flags = NOT_SAMPLED, more] =
    (typeof traceparent === 'string' && TRACEPARENT.exec(traceparent)) || [];
  const newId = () => randomUUID().replaceAll('-', '');
  const span_id = newId().slice(0, SPAN_ID_DIGITS);
  // Version 00 has nothing after its flags.
  if (trace_id === undefined || (version === '00' && more !== undefined)) {
    return { traceparent: `00-${newId()}-${span_id}-${NOT_SAMPLED}` };
  }
  const continued = { traceparent: `00-${trace_id}-${span_id}-${flags}` };
  return isTracestate(tracestate) ? { ...continued, tracestate } : continued;
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

/** The trace's id in log lines; undefined without a trace. */
export function traceIdOf(traceparent: string | undefined): string | undefined {
  return traceparent?.split('-')[1];
}

/** The fields of a log line that identify its request. */
export interface Ids {
  request_id?: string | undefined;
  trace_id?: string | undefined;
}

/** The ids of the request to which a call belongs; undefined without one. */
export function idsOf(via: { requestID?: string | null; meta?: { traceparent?: string } }): Ids {
  return { request_id: via.requestID ?? undefined, trace_id: traceIdOf(via.meta?.traceparent) };
}
