import type { LedgerEvent } from '../contracts/events.ts';
import { runIn, type Activity } from '../tracing/activity.ts';
import { activeTracer, spanned, type Attributes } from '../tracing/spans.ts';

/** Returns the activity that caused an event, as far as the event has it. */
export function causeOf({ requestid, traceparent }: Pick<LedgerEvent, 'requestid' | 'traceparent'>): Activity {
  return { request_id: requestid, ...(traceparent === undefined ? {} : { traceparent }) };
}

/**
 * Runs `work`, which calls another system because of an event, in a span of the trace that caused the event. Without a tracer it just
 * runs it.
 * @param event is only read for a tracer
 */
export function spannedByEvent<T>(
  event: () => Pick<LedgerEvent, 'requestid' | 'traceparent'>,
  name: string,
  attributes: Attributes,
  work: () => Promise<T>,
): Promise<T> {
  if (activeTracer() === undefined) return work();
  return runIn(causeOf(event()), () => spanned('client', name, attributes, work));
}
