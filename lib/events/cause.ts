import type { LedgerEvent } from '../contracts/events.ts';
import type { Activity } from '../tracing/activity.ts';

/** Returns the activity that caused an event, as far as the event has it. */
export function causeOf({ requestid, traceparent }: Pick<LedgerEvent, 'requestid' | 'traceparent'>): Activity {
  return { request_id: requestid, ...(traceparent === undefined ? {} : { traceparent }) };
}
