import type { Service, ServiceSchema } from 'moleculer';
import { health } from '../../lib/contracts/governance.ts';
import type { Runtime } from '../../lib/node/runtime.ts';
import { layFoundation } from '../../lib/service/foundation.ts';
import { healthAction } from '../../lib/service/health.ts';
import { approveAction } from './actions/approve.ts';
import { cancelApprovalAction } from './actions/cancel-approval.ts';
import { checkEligibilityAction } from './actions/check-eligibility.ts';
import { getApprovalAction } from './actions/get-approval.ts';
import { listApprovalsAction } from './actions/list-approvals.ts';
import { proposeAction } from './actions/propose.ts';
import { rejectAction } from './actions/reject.ts';
import { requestApprovalAction } from './actions/request-approval.ts';
import { DEFAULT_TIMINGS } from './deps.ts';
import type { GovernanceDeps, Timings } from './deps.ts';
import { onMemberExpelled } from './on/member-expelled.ts';
import { onMemberLeft } from './on/member-left.ts';
import { onMemberRoleChanged } from './on/member-role-changed.ts';
import { governanceDatabase } from './persistence/data-source.ts';
import { sweepsOf } from './sagas/sweeps.ts';

export interface GovernanceOptions {
  timings?: Partial<Timings>;
}

/**
 * Maker-checker: requests that others of the board decide, their votes, and that what was decided is carried out.
 * @throws StartupError in one line if its database or NATS is away
 */
export async function governanceService(runtime: Runtime, options: GovernanceOptions = {}): Promise<ServiceSchema> {
  const foundation = await layFoundation(runtime, 'governance', governanceDatabase);
  const deps: GovernanceDeps = { foundation, timings: { ...DEFAULT_TIMINGS, ...options.timings } };
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
      health: healthAction(health, foundation),
    },
    started(this: Service) {
      foundation.start(this, {
        subscriptions: [onMemberExpelled(), onMemberLeft(), onMemberRoleChanged()],
        sweeps: sweepsOf(deps, this.broker, this.logger),
      });
    },
    stopped: () => foundation.stop(),
  };
}
