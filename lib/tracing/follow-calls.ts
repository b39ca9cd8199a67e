import type { ActionHandler, ActionSchema, Context, Middleware } from 'moleculer';
import { currentActivity, runIn, type Activity } from './activity.ts';
import { activeTracer, activityIn, outcomeOf, type OpenSpan } from './spans.ts';
import type { Trace } from './trace.ts';

/** The options of a call, as far as they concern tracing. */
interface CallOptions {
  parentCtx?: unknown;
  requestID?: string;
  meta?: Partial<Trace>;
}

type Call = (action: string, params?: unknown, options?: CallOptions) => Promise<unknown>;

/**
 * Returns the middleware that carries the activity from the caller to the action, and records spans of both. Inside an
 * action, Moleculer passes on the metadata of the call; calls from elsewhere, such as recovery, get it here.
 */
export function followCalls(): Middleware {
  return {
    name: 'FollowCalls',
    call: ((next: Call): Call => followedCall(next)) as unknown as NonNullable<Middleware['call']>,
    localAction: (next: ActionHandler, action: ActionSchema) => followedAction(next, action),
  };
}

function followedCall(next: Call): Call {
  return function (this: unknown, action, params, options = {}) {
    const tracer = action.startsWith('$') ? undefined : activeTracer();
    const isInAction = options.parentCtx !== undefined;
    if (tracer === undefined && isInAction) return next.call(this, action, params, options);
    const activity = currentActivity();
    if (tracer === undefined) return next.call(this, action, params, withActivity(options, activity, activity));
    const span = tracer.start('client', action, activity, rpcAttributes(action));
    const answer = next.call(
      this,
      action,
      params,
      withActivity(options, isInAction ? undefined : activity, span.trace),
    );
    endWith(span, answer);
    // Not a promise of it: Moleculer reads a member of this one.
    return answer;
  };
}

function withActivity(
  options: CallOptions,
  activity: Activity | undefined,
  trace: Partial<Trace> | undefined,
): CallOptions {
  const { request_id } = activity ?? {};
  return {
    ...options,
    meta: { ...options.meta, ...traceOf(trace) },
    ...(request_id === undefined ? {} : { requestID: request_id }),
  };
}

function rpcAttributes(action: string) {
  return { 'rpc.system.name': 'moleculer', 'rpc.method': action };
}

function followedAction(next: ActionHandler, { name = '', visibility }: ActionSchema): ActionHandler {
  // Moleculer's own actions, and the private one with which moleculer-web handles a request: that has a span already.
  const hasSpan = !name.startsWith('$') && visibility !== 'private';
  return function (ctx: Context<unknown, Partial<Trace>>) {
    const activity: Activity = { request_id: ctx.requestID ?? undefined, ...traceOf(ctx.meta) };
    const tracer = hasSpan ? activeTracer() : undefined;
    if (tracer === undefined) return runIn(activity, () => next.call(this, ctx) as Promise<unknown>);
    const span = tracer.start('server', name, activity, rpcAttributes(name));
    const answer = runIn(activityIn(span, activity), () => next.call(this, ctx) as Promise<unknown>);
    endWith(span, answer);
    return answer;
  };
}

function traceOf(from: Partial<Trace> | undefined): Trace | undefined {
  if (from?.traceparent === undefined) return undefined;
  const { traceparent, tracestate } = from;
  return tracestate === undefined ? { traceparent } : { traceparent, tracestate };
}

/** Ends the span with the outcome, which stays the caller's to handle. */
function endWith(span: OpenSpan, outcome: Promise<unknown>): void {
  outcome.then(
    () => span.end(),
    (error: unknown) => span.end(outcomeOf(error)),
  );
}
