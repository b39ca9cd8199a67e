import type { ActionSchema } from 'moleculer';
import type { EntityManager } from 'typeorm';
import { call } from '../../../lib/service/call.ts';
import { implementWrite } from '../../../lib/service/implement-write.ts';
import type { CallContext } from '../../../lib/service/implement.ts';
import { obligations as contributionObligations } from '../../../lib/contracts/contribution.ts';
import { leaveAssociation } from '../../../lib/contracts/membership.ts';
import { obligations as treasuryObligations } from '../../../lib/contracts/treasury.ts';
import { isErrorCode } from '../../../lib/errors/codes.ts';
import { callFailure, problem } from '../../../lib/errors/problem.ts';
import type { Foundation } from '../../../lib/service/service-context.ts';
import { closedRefusal } from '../authorize/access.rules.ts';
import { bindingsOf } from '../cycles/binding.store.ts';
import { endingState } from './ending.store.ts';
import { findAuthorized } from '../authorize/authorized.store.ts';
import { findMember } from '../members/member.store.ts';
import { end } from './ending.saga.ts';
import type { MembershipDeps } from '../deps.ts';

/** Leaves an association, for who owes it nothing and awaits nothing from it. */
export function leaveAssociationAction(deps: MembershipDeps): ActionSchema {
  const { foundation } = deps;
  return implementWrite(foundation, leaveAssociation, async ({ path }, { user_id }, ctx, operation) => {
    const { association_id } = path;
    // An earlier request with the key may have left already.
    const { id, resumed } = operation;
    const begun = resumed && (await endingState(foundation.db.manager, id)) !== null;
    const member_id = begun
      ? (await findMember(foundation.db.manager, association_id, user_id))?.id
      : await leaver(foundation, ctx, association_id, user_id);
    if (member_id === undefined) throw problem('not_found');
    const leaving = { id, association_id, kind: 'leaving', member_id } as const;
    const answered = (manager: EntityManager) => operation.answered(manager, {});
    const { status, error } = await end(deps, ctx, leaving, answered).catch((fault: unknown) => {
      // What has been stored is taken up again, and may yet succeed.
      throw callFailure(fault) === 'refused' ? fault : problem('outcome_unknown');
    });
    if (status === 'failed') throw problem(isErrorCode(error) ? error : 'internal_error');
    return {};
  });
}

/**
 * The member who wants to leave, if nothing that can be seen now is in the way.
 * @throws not_found, association_closed, president_cannot_leave, member_has_obligations
 */
async function leaver(
  foundation: Foundation,
  ctx: CallContext,
  association_id: string,
  user_id: string,
): Promise<string> {
  const found = await findAuthorized(foundation.db.pool, association_id, user_id);
  if (found === null) throw problem('not_found');
  const closed = closedRefusal('change_own_membership', found.association.status);
  if (closed !== null) throw closed;
  if (found.member.role === 'president') throw problem('president_cannot_leave');
  if (await hasObligations(foundation, ctx, association_id, found.member.id)) throw problem('member_has_obligations');
  return found.member.id;
}

/** A running cycle, arrears, or a cash deposit or distribution that awaits its decision. */
async function hasObligations(
  { db }: Foundation,
  ctx: CallContext,
  association_id: string,
  member_id: string,
): Promise<boolean> {
  const { open } = await bindingsOf(db.manager, association_id, member_id);
  const of = { association_id, member_id };
  const [contribution, treasury] = await Promise.all([
    call(ctx, contributionObligations, { ...of, cycle_id: open }),
    call(ctx, treasuryObligations, of),
  ]);
  return contribution.cycle_running || contribution.has_arrears || treasury.pending;
}
