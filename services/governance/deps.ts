import type { SagaTimings } from '../../lib/saga/timings.ts';
import type { ServiceContext } from '../../lib/service/service-context.ts';
import type { ExecutionSaga } from './executions/execution.saga.ts';

/** What the actions, subscriptions and jobs of governance work with. */
export interface GovernanceDeps extends ServiceContext {
  readonly timings: SagaTimings;
  readonly executions: ExecutionSaga;
}
