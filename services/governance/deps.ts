import type { SagaTimings } from '../../lib/saga/timings.ts';
import type { ServiceContext } from '../../lib/service/service-context.ts';
import type { ExecutionSaga } from './executions/execution.saga.ts';

/** The dependencies of the actions and jobs of the governance service. */
export interface GovernanceDeps extends ServiceContext {
  readonly timings: SagaTimings;
  readonly executions: ExecutionSaga;
}
