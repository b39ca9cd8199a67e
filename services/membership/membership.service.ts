import type { Logger, Service, ServiceSchema } from 'moleculer';
import { health } from '../../lib/contracts/membership.ts';
import type { Runtime } from '../../lib/runtime/runtime.ts';
import { layFoundation } from '../../lib/service/service-context.ts';
import { healthAction } from '../../lib/service/health.ts';
import { acceptInvitationAction } from './invitations/accept-invitation.ts';
import { authorizeAction } from './authorize/authorize.ts';
import { bindCycleAction } from './cycles/bind-cycle.ts';
import { boardAction } from './actions/board.ts';
import { changeOwnMembershipAction } from './members/change-own-membership.ts';
import { checkProposalAction } from './proposals/check-proposal.ts';
import { createAssociationAction } from './associations/create-association.ts';
import { createInvitationAction } from './invitations/create-invitation.ts';
import { executeApprovalAction } from './proposals/execute-approval.ts';
import { getAssociationAction } from './associations/get-association.ts';
import { getInvitationAction } from './invitations/get-invitation.ts';
import { getOwnMembershipAction } from './members/get-own-membership.ts';
import { bindIdempotencyKeyAction, freeIdempotencyKeyAction } from './idempotency/idempotency-keys.ts';
import { joinAssociationAction } from './members/join-association.ts';
import { pinJudge } from './pins/check-pin.ts';
import { leaveAssociationAction } from './endings/leave-association.ts';
import { listMembersAction } from './members/list-members.ts';
import { listPublicAssociationsAction } from './associations/list-associations.ts';
import { myAssociationsAction } from './actions/my-associations.ts';
import { pinOffer } from './pins/pin-keys.ts';
import { openPinKeys, requireSamePepper, pinSweeps } from './pins/pin-upkeep.ts';
import { pinKeysAction } from './actions/pin-keys.ts';
import { releaseCycleAction } from './actions/release-cycle.ts';
import { resetPinAction } from './pins/reset-pin.ts';
import { rosterAction } from './actions/roster.ts';
import { setPinAction } from './pins/set-pin.ts';
import { DEFAULT_TIMINGS } from './deps.ts';
import type { MembershipDeps, MembershipTimings } from './deps.ts';
import { onCycleCompleted } from './cycles/on-cycle-completed.ts';
import { membershipDatabase } from './database.ts';
import { gatherStatements } from './persistence/gathered.ts';
import { sweepsOf } from './sagas/sweeps.ts';

/** Who is who: associations, members, invitations, PINs. `options` are for tests. */
export async function membershipService(
  runtime: Runtime,
  options: { timings?: Partial<MembershipTimings> } = {},
): Promise<ServiceSchema> {
  const { clock, resources } = runtime;
  const pepper = resources.secrets.pinPepper;
  let log: Logger | undefined;
  const ring = await openPinKeys(runtime, (fault) => log?.error(fault));
  const foundation = await layFoundation(runtime, 'membership', membershipDatabase);
  await requireSamePepper(foundation);
  const offer = pinOffer(runtime, foundation.db.manager, ring);
  const gathered = gatherStatements(foundation.db.batches, foundation.db.pool, clock);
  const pins = pinJudge({ db: foundation.db, gathered, ring, clock, pepper });
  const timings = { ...DEFAULT_TIMINGS, ...options.timings };
  const deps: MembershipDeps = { foundation, ring, offer, pins, gathered, timings };

  return {
    name: 'membership',
    actions: {
      create_association: createAssociationAction(deps),
      list_public_associations: listPublicAssociationsAction(deps),
      my_associations: myAssociationsAction(deps),
      get_association: getAssociationAction(deps),
      list_members: listMembersAction(deps),
      join: joinAssociationAction(deps),
      create_invitation: createInvitationAction(deps),
      accept_invitation: acceptInvitationAction(deps),
      get_invitation: getInvitationAction(deps),
      get_own_membership: getOwnMembershipAction(deps),
      change_own_membership: changeOwnMembershipAction(deps),
      leave: leaveAssociationAction(deps),
      pin_keys: pinKeysAction(deps),
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
      health: healthAction(health, foundation),
    },
    async started(this: Service) {
      log = this.logger;
      foundation.start(this, {
        subscriptions: [onCycleCompleted(clock)],
        sweeps: [
          ...(await pinSweeps(runtime, deps, this.broker.nodeID, log)),
          ...sweepsOf(deps, this.broker, this.logger),
        ],
      });
    },
    stopped: () => foundation.stop(),
  };
}
