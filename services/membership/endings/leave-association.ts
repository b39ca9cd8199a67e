import type { ActionSchema } from 'moleculer';
import { obligations as contributionObligations } from '../../../lib/contracts/contribution.ts';
import { leaveAssociation } from '../../../lib/contracts/membership.ts';
import { obligations as treasuryObligations } from '../../../lib/contracts/treasury.ts';
import { isErrorCode } from '../../../lib/errors/codes.ts';
import { problem } from '../../../lib/errors/problem.ts';
import { call, type CanCall } from '../../../lib/service/call.ts';
import { implementSaga } from '../../../lib/service/implement-saga.ts';
import { closedRefusal } from '../authorize/access.rules.ts';
import { findAuthorized } from '../authorize/authorized.store.ts';
import { findMemberBindings } from '../cycles/binding.store.ts';
import type { MembershipDeps } from '../deps.ts';
import { beginEnding } from './begin-ending.ts';

/** Leaves an association. Members with arrears or pending requests cannot leave. */
export function leaveAssociationAction(deps: MembershipDeps): ActionSchema {
  return implementSaga(deps, leaveAssociation, {
    saga: deps.endings,
    isAnsweredEarly: false,
    refusalOf: ({ status, refusal }) =>
      status === 'refused' && refusal !== null ? { code: refusal, extras: {} } : null,
    answer: () => ({}),
    async begin({ path: { association_id } }, { user_id }, ctx, { id, hold }) {
      const member_id = await findLeaver(deps, ctx, association_id, user_id);
      const begun = await beginEnding(deps, ctx, { id, association_id, kind: 'leaving', member_id }, hold);
      if ('ending' in begun) return begun.ending;
      const { error } = begun.outcome;
      throw problem(isErrorCode(error) ? error : 'internal_error');
    },
  });
}

/**
 * Finds the member who wants to leave, and checks the conditions that need no lock.
 * @throws not_found, association_closed, president_cannot_leave, member_has_obligations
 */
async function findLeaver(
  { db }: MembershipDeps,
  via: CanCall,
  association_id: string,
  user_id: string,
): Promise<string> {
  const found = await findAuthorized(db, association_id, user_id);
  if (found === null) throw problem('not_found');
  const closed = closedRefusal('change_own_membership', found.association.status);
  if (closed !== null) throw closed;
  if (found.member.role === 'president') throw problem('president_cannot_leave');
  const member_id = found.member.id;
  const { open } = await findMemberBindings(db, association_id, member_id);
  const [contribution, treasury] = await Promise.all([
    call(via, contributionObligations, { association_id, member_id, cycle_id: open }),
    call(via, treasuryObligations, { association_id, member_id }),
  ]);
  if (contribution.cycle_running || contribution.has_arrears || treasury.pending) {
    throw problem('member_has_obligations');
  }
  return member_id;
}
