import type { Service, ServiceSchema } from 'moleculer';
import { layFoundation } from '../../lib/service/foundation.ts';
import type { Runtime } from '../../lib/runtime/runtime.ts';
import { approveAction } from './actions/approve.ts';
import { cancelApprovalAction } from './actions/cancel-approval.ts';
import { checkEligibilityAction } from './actions/check-eligibility.ts';
import { getApprovalAction } from './actions/get-approval.ts';
import { healthAction } from './actions/health.ts';
import { listApprovalsAction } from './actions/list-approvals.ts';
import { proposeAction } from './actions/propose.ts';
import { rejectAction } from './actions/reject.ts';
import { requestApprovalAction } from './actions/request-approval.ts';
import { DEFAULT_TIMINGS } from './governance.deps.ts';
import type { GovernanceDeps, GovernanceTimings } from './governance.deps.ts';
import { onMemberLeft } from './on/member-left.ts';
import { onMemberRoleChanged } from './on/member-role-changed.ts';
import { governanceDatabase } from './persistence/data-source.ts';
import { governanceSweeps } from './sagas/sweeps.ts';

/**
 * Maker-checker: requests that others of the board decide, their votes, and that what was decided is carried out.
 * @throws StartupError in one line if its database or NATS is away
 */
export async function governanceService(
  runtime: Runtime,
  options: Partial<GovernanceTimings> = {},
): Promise<ServiceSchema> {
  const foundation = await layFoundation(runtime, 'governance', governanceDatabase);
  const deps: GovernanceDeps = { foundation, timings: { ...DEFAULT_TIMINGS, ...options } };
  return {
    name: 'governance',
    actions: {
      approve: approveAction(deps),
      reject: rejectAction(deps),
      propose: proposeAction(deps),
      list_approvals: listApprovalsAction(deps),
      get_approval: getApprovalAction(deps),
      cancel_approval: cancelApprovalAction(deps),
      check_eligibility: checkEligibilityAction(),
      request_approval: requestApprovalAction(deps),
      health: healthAction(deps),
    },
    started(this: Service) {
      foundation.start(this.logger, {
        subscriptions: [onMemberLeft(), onMemberRoleChanged()],
        sweeps: governanceSweeps(deps, this.broker, this.logger) ?? [],
      });
    },
    async stopped() {
      await foundation.stop();
    },
  };
}
