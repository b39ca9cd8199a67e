import type { ActionSchema } from 'moleculer';
import type { Caller } from '../../../lib/contracts/action.ts';
import { acceptInvitation, joinAssociation, type Member } from '../../../lib/contracts/membership.ts';
import { openWallet } from '../../../lib/contracts/treasury.ts';
import type { Transaction } from '../../../lib/db/db.ts';
import { problem } from '../../../lib/errors/problem.ts';
import type { Operation } from '../../../lib/idempotency/operation.ts';
import { call } from '../../../lib/service/call.ts';
import { answerLocation, type CallContext } from '../../../lib/service/implement.ts';
import { implementWrite } from '../../../lib/service/implement-write.ts';
import { changeMemberCount, loadAssociation, lockAssociation } from '../associations/association.store.ts';
import type { MembershipDeps } from '../deps.ts';
import { findUsableInvitation, useInvitation } from '../invitations/invitation.store.ts';
import { displayNameOf, joiningRefusal } from './member.rules.ts';
import { lockMember } from './member.store.ts';
import { members, type MemberRow } from './member.table.ts';
import { showMember } from './member.view.ts';

/** Joins a public association. */
export function joinAssociationAction(deps: MembershipDeps): ActionSchema {
  return implementWrite(deps, joinAssociation, ({ path: { association_id }, body }, caller, ctx, operation) =>
    join(deps, ctx, operation, { ...body, association_id, caller, invitation_id: null }),
  );
}

/** Joins by invitation, which also readmits expelled members. */
export function acceptInvitationAction(deps: MembershipDeps): ActionSchema {
  const { db, runtime } = deps;
  return implementWrite(deps, acceptInvitation, async ({ path, body }, caller, ctx, operation) => {
    const invitation = await findUsableInvitation(db, path.code, runtime.clock());
    if (invitation === undefined) throw problem('not_found');
    const { id: invitation_id, association_id } = invitation;
    return join(deps, ctx, operation, { ...body, association_id, caller, invitation_id });
  });
}

/** A user's request to join, with or without an invitation. */
interface Joining {
  association_id: string;
  caller: Caller;
  hands: number;
  /** The name that they want others to see. */
  display_name?: string;
  /** Null if the user joins a public association without an invitation. */
  invitation_id: string | null;
}

/**
 * Makes the caller an active member.
 * @throws not_found, already_member, association_closed, association_full
 */
async function join(deps: MembershipDeps, ctx: CallContext, operation: Operation, joining: Joining): Promise<Member> {
  const { association_id } = joining;
  const payout_wallet_id = await openOwnWallet(deps, ctx, joining);
  return deps.db.transaction(async (tx) => {
    const member = await storeMember(deps, tx, joining, { id: operation.id, payout_wallet_id });
    const answer = showMember(member, member);
    answerLocation(ctx, `/associations/${association_id}/members/me`);
    await operation.keep(tx, answer);
    return answer;
  });
}

/**
 * Opens the caller's wallet in the association's currency, or finds their existing one, if they may join. Must be
 * called before the transaction, which must not wait for another service.
 */
async function openOwnWallet(
  { db }: MembershipDeps,
  ctx: CallContext,
  { association_id, caller: { user_id }, invitation_id }: Joining,
): Promise<string> {
  const association = await loadAssociation(db, association_id);
  const known = await db.orm.findOneBy(members, { association_id, user_id });
  const refusal = joiningRefusal(invitation_id !== null, association, known);
  if (refusal !== null) throw problem(refusal);
  return (await call(ctx, openWallet, { user_id, currency: association.currency })).wallet_id;
}

/**
 * Stores the membership, and counts the use of the invitation. Locks the association first, so that concurrent requests
 * to join see the current number of members.
 * @param fresh the values for a user who has never been a member of the association
 */
async function storeMember(
  { runtime, outbox }: MembershipDeps,
  tx: Transaction,
  { association_id, caller, hands, display_name, invitation_id }: Joining,
  fresh: Pick<MemberRow, 'id' | 'payout_wallet_id'>,
): Promise<MemberRow> {
  const { user_id } = caller;
  const association = await lockAssociation(tx, association_id);
  const known = await lockMember(tx, association_id, user_id);
  const now = runtime.clock();
  if (invitation_id !== null && !(await useInvitation(tx, invitation_id, now))) throw problem('not_found');
  const refusal = joiningRefusal(invitation_id !== null, association, known);
  if (refusal !== null) throw problem(refusal);

  const present = {
    display_name: display_name ?? known?.display_name ?? displayNameOf(caller.name),
    role: 'member',
    status: 'active',
    hands,
    payout_wallet_id: known?.payout_wallet_id ?? fresh.payout_wallet_id,
    joined_at: now,
  } as const;
  const member: MemberRow = { ...(known ?? { id: fresh.id, association_id, user_id, tenure: 0 }), ...present };
  if (known === undefined) await tx.orm.insert(members, member);
  else await tx.orm.update(members, { id: known.id }, present);
  await changeMemberCount(tx, association_id, 1);
  const data = { member_id: member.id, user_id, role: member.role, rejoined: known !== undefined };
  outbox.append(tx, { type: 'member.joined', association_id, data });
  return member;
}
