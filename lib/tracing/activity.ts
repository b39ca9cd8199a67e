import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import { newTrace, traceIdOf, type Trace } from './trace.ts';

/** The request, event or recovery on whose behalf code runs. Calls, log lines and events carry it on. */
export interface Activity extends Partial<Trace> {
  request_id?: string | undefined;
}

const storage = new AsyncLocalStorage<Activity>();

/** Returns the activity of the code that runs; undefined outside of any, such as in a job that looks for work. */
export function currentActivity(): Activity | undefined {
  return storage.getStore();
}

/** Runs `work`, and all that it starts, on behalf of an activity. */
export function runIn<T>(activity: Activity, work: () => T): T {
  return storage.run(activity, work);
}

/** Returns an activity that no request has begun, such as the recovery of a saga. */
export function newActivity(): Activity {
  return { request_id: randomUUID(), ...newTrace(randomUUID) };
}

/** The fields of a log line that identify its activity. */
export interface Ids {
  request_id?: string | undefined;
  trace_id?: string | undefined;
}

/** Returns the fields of the current activity; none outside of any. */
export function currentIds(): Ids {
  const activity = storage.getStore();
  return activity === undefined ? {} : { request_id: activity.request_id, trace_id: traceIdOf(activity.traceparent) };
}
