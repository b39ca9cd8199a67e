import type { ActionSchema } from 'moleculer';
import { readProposalPayload } from '../../../lib/contracts/governance.ts';
import { checkProposal } from '../../../lib/contracts/membership.ts';
import { obligations } from '../../../lib/contracts/treasury.ts';
import { problem } from '../../../lib/errors/problem.ts';
import { call, type CanCall } from '../../../lib/service/call.ts';
import { implementCommand } from '../../../lib/service/implement.ts';
import { lockAssociation } from '../associations/association.store.ts';
import { findMemberBindings } from '../cycles/binding.store.ts';
import { releaseCompletedCycle } from '../cycles/bind-cycle.ts';
import type { MembershipDeps } from '../deps.ts';
import { endingRefusal } from '../endings/ending.rules.ts';
import { lockMemberById } from '../members/member.store.ts';
import { prepareChange, type ChangeScope } from './plan-change.ts';

type Check = (scope: ChangeScope) => Promise<unknown>;

/**
 * Checks a proposal with the code that executes it later. A closure is not checked here: whether an association may be
 * closed depends on contribution, treasury and governance.
 */
export function checkProposalAction(deps: MembershipDeps): ActionSchema {
  const { db, outbox } = deps;
  return implementCommand(checkProposal, async ({ association_id, type, payload }, ctx) => {
    const check: Check =
      type === 'expulsion'
        ? await prepareExpulsionCheck(deps, ctx, association_id, readProposalPayload(type, payload).member_id)
        : (scope) => prepareChange(scope, type, payload);
    await db.transaction(async (tx) => check({ outbox, tx, association: await lockAssociation(tx, association_id) }));
    return {};
  });
}

/** Asks other services about the member before the transaction, because it must not wait for them. */
async function prepareExpulsionCheck(
  deps: MembershipDeps,
  via: CanCall,
  association_id: string,
  member_id: string,
): Promise<Check> {
  await releaseCompletedCycle(deps, via, association_id, null);
  const { pending } = await call(via, obligations, { association_id, member_id });
  return async ({ tx, association }) => {
    const member = await lockMemberById(tx, association_id, member_id);
    const isBound = pending || (await findMemberBindings(tx, association_id, member_id)).open !== null;
    const refusal = endingRefusal('expulsion', association.status, member, isBound);
    if (refusal !== null) throw problem(refusal);
  };
}
