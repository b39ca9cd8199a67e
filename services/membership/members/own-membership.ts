import type { ActionSchema } from 'moleculer';
import type { EndpointInput } from '../../../lib/contracts/action.ts';
import { changeOwnMembership, getOwnMembership } from '../../../lib/contracts/membership.ts';
import type { Permission } from '../../../lib/contracts/permissions.ts';
import { checkWallet } from '../../../lib/contracts/treasury.ts';
import type { Db } from '../../../lib/db/db.ts';
import { invalid, problem } from '../../../lib/errors/problem.ts';
import { call } from '../../../lib/service/call.ts';
import { implement } from '../../../lib/service/implement.ts';
import { implementWrite, type WriteHandler } from '../../../lib/service/implement-write.ts';
import { requireUnchanged } from '../../../lib/service/preconditions.ts';
import { lockAssociation } from '../associations/association.store.ts';
import type { AssociationRow } from '../associations/association.table.ts';
import { closedRefusal, roleRefusal } from '../authorize/access.rules.ts';
import { findAuthorized } from '../authorize/authorized.store.ts';
import { releaseCompletedCycle } from '../cycles/bind-cycle.ts';
import { findOpenBinding } from '../cycles/binding.store.ts';
import type { MembershipDeps } from '../deps.ts';
import { keyedRequest } from '../pins/check-pin.ts';
import { lockMember } from './member.store.ts';
import { members, type MemberRow } from './member.table.ts';
import { showMember } from './member.view.ts';

/** Reads the caller's membership. The answer to joining has its `Location`. */
export function getOwnMembershipAction({ reads }: MembershipDeps): ActionSchema {
  return implement(getOwnMembership, async ({ path: { association_id } }, { user_id }) => {
    const member = await reads.orm.findOneBy(members, { association_id, user_id });
    if (member?.status !== 'active') throw problem('not_found');
    return showMember(member, member);
  });
}

/**
 * Changes the caller's own display name, hands or payout wallet. Only a change of the wallet needs the PIN.
 * Without such a change, a PIN in the request is not checked.
 */
export function changeOwnMembershipAction(deps: MembershipDeps): ActionSchema {
  const { db, pinCheck } = deps;
  const handler: WriteHandler<typeof changeOwnMembership> = async ({ path, body }, { user_id }, ctx, operation) => {
    const { association_id } = path;
    const { pin: given, ...changes } = body;
    const pin = changes.payout_wallet_id === undefined ? undefined : given;

    const found = await findAuthorized(db, association_id, user_id, { pin: pin !== undefined });
    if (found === null) throw problem('not_found');
    const seen = { ...found.member, association_id };
    await requireUnchanged(ctx, () => showMember(seen, seen));
    const badPin = pin === undefined ? null : await pinCheck.check(user_id, pin, keyedRequest(ctx.meta), found.pin);
    if (badPin !== null) throw badPin;
    const closed = closedRefusal('change_own_membership', found.association.status);
    if (closed !== null) throw closed;

    const changesHands = changes.hands !== undefined;
    if (changesHands) {
      await releaseCompletedCycle(deps, ctx, association_id, null);
      if ((await findOpenBinding(db, association_id)) !== undefined) throw problem('cycle_in_progress');
    }
    if (changes.payout_wallet_id !== undefined) {
      const { payout_wallet_id: wallet_id } = changes;
      await call(ctx, checkWallet, { wallet_id, user_id, currency: found.association.currency });
    }
    return db.transaction(async (tx) => {
      const { member } = await lockOwnMembership(tx, association_id, user_id, 'change_own_membership', (locked) =>
        requireUnchanged(ctx, () => showMember(locked.member, locked.member)),
      );
      // A cycle may have begun in the meantime, while the wallet was checked.
      if (changesHands && (await findOpenBinding(tx, association_id)) !== undefined) throw problem('cycle_in_progress');
      await tx.orm.update(members, { id: member.id }, changes);
      const changed = { ...member, ...changes };
      const answer = showMember(changed, changed);
      await operation.keep(tx, answer);
      return answer;
    });
  };
  return implementWrite(deps, changeOwnMembership, handler, { check: ({ body }) => requireChange(body) });
}

/** @throws validation_failed if the request has no change, or changes the wallet without a PIN */
function requireChange({
  display_name,
  hands,
  payout_wallet_id,
  pin,
}: EndpointInput<typeof changeOwnMembership>['body']): void {
  if (display_name === undefined && hands === undefined && payout_wallet_id === undefined) {
    throw invalid({
      pointer: '',
      code: 'required',
      detail: 'Name at least one of display_name, hands, payout_wallet_id.',
    });
  }
  if (payout_wallet_id !== undefined && pin === undefined) {
    throw invalid({ pointer: '/pin', code: 'required', detail: 'Changing the payout wallet needs the PIN.' });
  }
}

/** The caller's active membership, and the association. */
interface LockedMembership {
  association: AssociationRow;
  member: MemberRow;
}

/**
 * Reads the caller's active membership and the association, and locks both until the transaction ends.
 * @param check refuses what comes between the role and a closed association in the order of refusals
 * @throws not_found, role_not_allowed, the refusal of the check, association_closed
 */
export async function lockOwnMembership(
  tx: Db,
  association_id: string,
  user_id: string,
  permission: Permission,
  check?: (locked: LockedMembership) => Promise<void>,
): Promise<LockedMembership> {
  const association = await lockAssociation(tx, association_id);
  const member = await lockMember(tx, association_id, user_id);
  if (member?.status !== 'active') throw problem('not_found');
  const notAllowed = roleRefusal(permission, member.role);
  if (notAllowed !== null) throw notAllowed;
  await check?.({ association, member });
  const closed = closedRefusal(permission, association.status);
  if (closed !== null) throw closed;
  return { association, member };
}
