import type { Service, ServiceSchema } from 'moleculer';
import { health } from '../../lib/contracts/governance.ts';
import type { Runtime } from '../../lib/node/runtime.ts';
import { SAGA_TIMINGS, type SagaTimings } from '../../lib/saga/timings.ts';
import { healthAction } from '../../lib/service/health.ts';
import { openService } from '../../lib/service/service-context.ts';
import { testClockActions } from '../../lib/service/test-clock.ts';
import { cancelApprovalAction } from './approvals/cancel-approval.ts';
import { checkEligibilityAction } from './approvals/check-eligibility.ts';
import { getApprovalAction, listApprovalsAction } from './approvals/read-approvals.ts';
import { overviewAction } from './approvals/read-overview.ts';
import { waitingVotesAction } from './approvals/read-waiting-votes.ts';
import { onBoardChange } from './approvals/on-board-change.ts';
import { requestApprovalAction } from './approvals/request-approval.ts';
import { reviewJobs } from './approvals/review-approvals.ts';
import { approveAction, rejectAction } from './approvals/vote.ts';
import { governanceDatabase } from './database.ts';
import type { GovernanceDeps } from './deps.ts';
import { createExecutionSaga } from './executions/execution.saga.ts';
import { proposeAction } from './proposals/propose.ts';

/**
 * Creates the service for approvals (maker-checker): requests that other members of the board decide, their votes, and the
 * execution of decisions.
 * @param options for tests
 * @throws StartupError in one line if its database or NATS is unavailable
 */
export async function governanceService(
  runtime: Runtime,
  options: { timings?: Partial<SagaTimings> } = {},
): Promise<ServiceSchema> {
  const context = await openService(runtime, 'governance', governanceDatabase);
  const timings = { ...SAGA_TIMINGS, ...options.timings };
  const executions = createExecutionSaga(context, timings);
  const deps: GovernanceDeps = { ...context, timings, executions };
  return {
    name: 'governance',
    actions: {
      approve: approveAction(deps),
      reject: rejectAction(deps),
      propose: proposeAction(deps),
      list_approvals: listApprovalsAction(deps),
      get_approval: getApprovalAction(deps),
      cancel_approval: cancelApprovalAction(deps),
      overview: overviewAction(deps),
      waiting_votes: waitingVotesAction(deps),
      check_eligibility: checkEligibilityAction(),
      request_approval: requestApprovalAction(deps),
      ...testClockActions(context),
      health: healthAction(health, context),
    },
    started(this: Service) {
      const { broker, logger } = this;
      context.start(this, {
        subscriptions: onBoardChange(),
        sagas: [executions],
        jobs: reviewJobs(deps, broker, logger),
      });
    },
    stopped: () => context.stop(),
  };
}
