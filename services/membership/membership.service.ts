import type { Logger, Service, ServiceSchema } from 'moleculer';
import { health } from '../../lib/contracts/membership.ts';
import type { Runtime } from '../../lib/node/runtime.ts';
import { healthAction } from '../../lib/service/health.ts';
import { testClockActions } from '../../lib/service/test-clock.ts';
import { openService } from '../../lib/service/service-context.ts';
import { changeAssociationAction } from './associations/change-association.ts';
import { createAssociationAction } from './associations/create-association.ts';
import {
  getAssociationAction,
  listPublicAssociationsAction,
  myAssociationsAction,
} from './associations/read-associations.ts';
import { authorizeAction } from './authorize/authorize.ts';
import { advanceClockActions, warnOfTestClock } from './clock/advance-clock.ts';
import { bindCycleAction, releaseCycleAction } from './cycles/bind-cycle.ts';
import { onCycleCompleted } from './cycles/on-cycle-completed.ts';
import { membershipDatabase } from './database.ts';
import type { MembershipDeps } from './deps.ts';
import { createEndingSaga } from './endings/ending.saga.ts';
import { leaveAssociationAction } from './endings/leave-association.ts';
import { bindIdempotencyKeyAction, freeIdempotencyKeyAction } from './idempotency/bind-key.ts';
import { invitationActions } from './invitations/invitation-actions.ts';
import { joinAssociationAction } from './members/join-association.ts';
import { boardAction, listMembersAction, rosterAction } from './members/list-members.ts';
import { changeOwnMembershipAction, getOwnMembershipAction } from './members/own-membership.ts';
import { overviewAction } from './overview/read-overview.ts';
import { createPinCheck } from './pins/check-pin.ts';
import { createPinKeyOffer, pinKeysAction } from './pins/pin-keys.ts';
import { openPinKeys, requireSamePepper, runPinJobs } from './pins/pin-upkeep.ts';
import { pinStateAction } from './pins/read-pin.ts';
import { resetPinAction, setPinAction } from './pins/set-pin.ts';
import { checkProposalAction } from './proposals/check-proposal.ts';
import { executeApprovalAction } from './proposals/execute-approval.ts';
import { MEMBERSHIP_TIMINGS, type MembershipTimings } from './timings.ts';

/** Opens the membership service: associations, members, invitations and PINs. `options` are for tests. */
export async function membershipService(
  runtime: Runtime,
  options: { timings?: Partial<MembershipTimings> } = {},
): Promise<ServiceSchema> {
  let log: Logger | undefined;
  const ring = await openPinKeys(runtime, (fault) => log?.error(fault));
  const context = await openService(runtime, 'membership', membershipDatabase);
  await requireSamePepper(context);
  const timings = { ...MEMBERSHIP_TIMINGS, ...options.timings };
  const deps: MembershipDeps = {
    ...context,
    timings,
    ring,
    pinKeyOffer: createPinKeyOffer(context, ring),
    pinCheck: createPinCheck(context, ring),
    endings: createEndingSaga(context, timings),
  };

  return {
    name: 'membership',
    actions: {
      create_association: createAssociationAction(deps),
      list_public_associations: listPublicAssociationsAction(deps),
      my_associations: myAssociationsAction(deps),
      get_association: getAssociationAction(deps),
      overview: overviewAction(deps),
      change_association: changeAssociationAction(deps),
      list_members: listMembersAction(deps),
      join: joinAssociationAction(deps),
      ...invitationActions(deps),
      get_own_membership: getOwnMembershipAction(deps),
      change_own_membership: changeOwnMembershipAction(deps),
      leave: leaveAssociationAction(deps),
      pin_keys: pinKeysAction(deps),
      pin_state: pinStateAction(deps),
      set_pin: setPinAction(deps),
      reset_pin: resetPinAction(deps),
      authorize: authorizeAction(deps),
      board: boardAction(deps),
      roster: rosterAction(deps),
      bind_cycle: bindCycleAction(deps),
      release_cycle: releaseCycleAction(deps),
      bind_idempotency_key: bindIdempotencyKeyAction(deps),
      free_idempotency_key: freeIdempotencyKeyAction(deps),
      check_proposal: checkProposalAction(deps),
      execute_approval: executeApprovalAction(deps),
      ...advanceClockActions(deps),
      ...testClockActions(context),
      health: healthAction(health, context),
    },
    async started(this: Service) {
      log = this.logger;
      await warnOfTestClock(deps, log);
      context.start(this, {
        subscriptions: [onCycleCompleted(deps)],
        sagas: [deps.endings],
        jobs: await runPinJobs(deps, this.broker.nodeID, log),
      });
    },
    stopped: () => context.stop(),
  };
}
