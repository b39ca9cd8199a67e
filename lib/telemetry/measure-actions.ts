import type { ActionHandler, ActionSchema, Context, Middleware } from 'moleculer';
import { errorType } from '../errors/problem.ts';
import { actionDuration, activeActions, callDuration } from './metrics.ts';

/** Moleculer's own actions, such as `$node.list`. */
const isInternal = ({ name = '' }: ActionSchema): boolean => name.startsWith('$');

/** Returns the middleware that measures the actions of this process, and its calls to other processes. */
export function measureActions(): Middleware {
  return {
    name: 'MeasureActions',
    localAction(next: ActionHandler, action: ActionSchema) {
      return isInternal(action) ? next : measured(next, action, actionDuration, activeActions);
    },
    remoteAction(next: ActionHandler, action: ActionSchema) {
      return isInternal(action) ? next : measured(next, action, callDuration);
    },
  };
}

function measured(
  next: ActionHandler,
  { name = '' }: ActionSchema,
  durations: typeof actionDuration,
  active?: typeof activeActions,
): ActionHandler {
  const succeeded = durations.labels({ rpc_method: name, error_type: '' });
  return async function (ctx: Context) {
    const began_ms = performance.now();
    const elapsed_s = () => (performance.now() - began_ms) / 1_000;
    active?.inc();
    try {
      const answer: unknown = await next.call(this, ctx);
      succeeded.observe(elapsed_s());
      return answer;
    } catch (error) {
      durations.observe({ rpc_method: name, error_type: errorType(error) }, elapsed_s());
      throw error;
    } finally {
      active?.dec();
    }
  };
}
