import { errorType, isFault } from '../errors/problem.ts';
import { currentActivity, runIn, type Activity } from './activity.ts';
import type { Trace } from './trace.ts';

/** What a span stands for, as OpenTelemetry has it. */
export type Kind = 'server' | 'client' | 'producer' | 'consumer' | 'internal';

export type Attributes = Record<string, string | number>;

/** A span that has begun. */
export interface OpenSpan {
  /** For calls and messages that belong to it. */
  trace: Trace;
  /** @param error.isFault whether an operator should look into it: a refused request is no fault */
  end(outcome?: { name?: string; attributes?: Attributes; error?: { type: string; isFault: boolean } }): void;
}

/** Records spans. */
export interface Tracer {
  start(kind: Kind, name: string, parent: Partial<Trace> | undefined, attributes: Attributes): OpenSpan;
}

let tracer: Tracer | undefined;

/** Returns the tracer of this process; undefined unless traces are exported, so that nothing is done for them. */
export function activeTracer(): Tracer | undefined {
  return tracer;
}

/** Sets the tracer, before anything is opened that asks for it. */
export function setTracer(next: Tracer | undefined): void {
  tracer = next;
}

/** Returns an activity that belongs to a span. */
export function activityIn(span: OpenSpan, activity: Activity | undefined): Activity {
  return { request_id: activity?.request_id, ...span.trace };
}

/** Runs `work` in a span of the current activity; without a tracer, just runs it. */
export async function spanned<T>(
  kind: Kind,
  name: string,
  attributes: Attributes,
  work: () => T | Promise<T>,
): Promise<T> {
  const activity = currentActivity();
  const span = activeTracer()?.start(kind, name, activity, attributes);
  if (span === undefined) return work();
  try {
    const result = await runIn(activityIn(span, activity), work);
    span.end();
    return result;
  } catch (error) {
    span.end(outcomeOf(error));
    throw error;
  }
}

/** Returns the end of a span whose work has failed. */
export function outcomeOf(error: unknown): Parameters<OpenSpan['end']>[0] {
  return { error: { type: errorType(error), isFault: isFault(error) } };
}
