import type { Logger, Service, ServiceSchema } from 'moleculer';
import { health } from '../../lib/contracts/membership.ts';
import type { Runtime } from '../../lib/node/runtime.ts';
import { layFoundation } from '../../lib/service/service-context.ts';
import { healthAction } from '../../lib/service/health.ts';
import { acceptInvitationAction } from './actions/accept-invitation.ts';
import { authorizeAction } from './actions/authorize.ts';
import { bindCycleAction } from './actions/bind-cycle.ts';
import { boardAction } from './actions/board.ts';
import { changeOwnMembershipAction } from './actions/change-own-membership.ts';
import { checkProposalAction } from './actions/check-proposal.ts';
import { createAssociationAction } from './actions/create-association.ts';
import { createInvitationAction } from './actions/create-invitation.ts';
import { executeApprovalAction } from './actions/execute-approval.ts';
import { getAssociationAction } from './actions/get-association.ts';
import { getInvitationAction } from './actions/get-invitation.ts';
import { getOwnMembershipAction } from './actions/get-own-membership.ts';
import { bindIdempotencyKeyAction, freeIdempotencyKeyAction } from './actions/idempotency-keys.ts';
import { joinAssociationAction } from './actions/join-association.ts';
import { pinJudge } from './actions/judge-pin.ts';
import { leaveAssociationAction } from './actions/leave-association.ts';
import { listMembersAction } from './actions/list-members.ts';
import { listPublicAssociationsAction } from './actions/list-public-associations.ts';
import { myAssociationsAction } from './actions/my-associations.ts';
import { pinOffer } from './actions/offer-pin-keys.ts';
import { openPinKeys, requireSamePepper, pinSweeps } from './actions/tend-pins.ts';
import { pinKeysAction } from './actions/pin-keys.ts';
import { releaseCycleAction } from './actions/release-cycle.ts';
import { resetPinAction } from './actions/reset-pin.ts';
import { rosterAction } from './actions/roster.ts';
import { setPinAction } from './actions/set-pin.ts';
import { DEFAULT_TIMINGS } from './deps.ts';
import type { MembershipDeps, MembershipTimings } from './deps.ts';
import { onCycleCompleted } from './on/cycle-completed.ts';
import { membershipDatabase } from './persistence/data-source.ts';
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
