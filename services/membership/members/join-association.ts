import type { ActionSchema } from 'moleculer';
import type { Caller } from '../../../lib/contracts/action.ts';
import { acceptInvitation, joinAssociation } from '../../../lib/contracts/membership.ts';
import type { Member } from '../../../lib/contracts/membership.ts';
import { openWallet } from '../../../lib/contracts/treasury.ts';
import type { Transaction } from '../../../lib/db/db.ts';
import { problem } from '../../../lib/errors/problem.ts';
import type { Operation } from '../../../lib/idempotency/operation.ts';
import { call } from '../../../lib/service/call.ts';
import { answerLocation } from '../../../lib/service/implement.ts';
import type { CallContext } from '../../../lib/service/implement.ts';
import { implementWrite } from '../../../lib/service/implement-write.ts';
import { countMembers, loadAssociation, lockAssociation } from '../associations/association.store.ts';
import type { MembershipDeps } from '../deps.ts';
import { findUsableInvitation, useInvitation } from '../invitations/invitation.store.ts';
import { displayNameOf, joiningRefusal } from './member.rules.ts';
import type { Door } from './member.rules.ts';
import { lockMember } from './member.store.ts';
import { members } from './member.table.ts';
import type { MemberRow } from './member.table.ts';
import { showMember } from './member.view.ts';

/** Joins a public association. */
export function joinAssociationAction(deps: MembershipDeps): ActionSchema {
  return implementWrite(
    deps,
    joinAssociation,
    ({ path: { association_id }, body: { hands } }, caller, ctx, operation) =>
      join(deps, ctx, operation, { door: 'public', association_id, caller, hands }),
  );
}

/** Joins by invitation, which is also how an expelled member comes back. */
export function acceptInvitationAction(deps: MembershipDeps): ActionSchema {
  const { db, runtime } = deps;
  return implementWrite(deps, acceptInvitation, async ({ path, body: { hands } }, caller, ctx, operation) => {
    const invitation = await findUsableInvitation(db, path.code, runtime.clock());
    if (invitation === undefined) throw problem('not_found');
    const { id, association_id } = invitation;
    return join(deps, ctx, operation, { door: 'invitation', association_id, caller, hands }, async (tx) => {
      if (!(await useInvitation(tx, id, runtime.clock()))) throw problem('not_found');
    });
  });
}

interface Joining {
  door: Door;
  association_id: string;
  caller: Caller;
  hands: number;
}

/**
 * Makes the caller an active member.
 * @param claim takes what lets them in; its refusal comes before those of the association
 * @throws not_found, already_member, association_closed, association_full
 */
async function join(
  deps: MembershipDeps,
  ctx: CallContext,
  operation: Operation,
  joining: Joining,
  claim: (tx: Transaction) => Promise<void> = () => Promise.resolve(),
): Promise<Member> {
  const { association_id } = joining;
  const wallet_id = await openOwnWallet(deps, ctx, joining);
  return deps.db.transaction(async (tx) => {
    const member = await enrol(deps, tx, joining, { id: operation.id, payout_wallet_id: wallet_id }, claim);
    const answer = showMember(member, member);
    answerLocation(ctx, `/associations/${association_id}/members/me`);
    operation.keep(tx, answer);
    return answer;
  });
}

/**
 * The caller's wallet in the association's currency, opened if they have none. It comes before the transaction, since no
 * transaction waits for another service, and after a first look at whether they may join at all.
 */
async function openOwnWallet(
  { db }: MembershipDeps,
  ctx: CallContext,
  { door, association_id, caller: { user_id } }: Joining,
): Promise<string> {
  const association = await loadAssociation(db, association_id);
  const refusal = joiningRefusal(door, association, await db.orm.findOneBy(members, { association_id, user_id }));
  if (refusal !== null) throw problem(refusal);
  return (await call(ctx, openWallet, { user_id, currency: association.currency })).wallet_id;
}

/**
 * Stores the membership. The association's row is locked first, so that however many join at once, each finds the count
 * as the one before left it.
 * @param first what is stored of a user who has never been a member here
 */
async function enrol(
  { runtime, outbox }: MembershipDeps,
  tx: Transaction,
  { door, association_id, caller, hands }: Joining,
  first: Pick<MemberRow, 'id' | 'payout_wallet_id'>,
  claim: (tx: Transaction) => Promise<void>,
): Promise<MemberRow> {
  const { user_id } = caller;
  const association = await lockAssociation(tx, association_id);
  const known = await lockMember(tx, association_id, user_id);
  await claim(tx);
  const refusal = joiningRefusal(door, association, known);
  if (refusal !== null) throw problem(refusal);

  const present = {
    display_name: known?.display_name ?? displayNameOf(caller.name),
    role: 'member',
    status: 'active',
    hands,
    payout_wallet_id: known?.payout_wallet_id ?? first.payout_wallet_id,
    joined_at: runtime.clock(),
  } as const;
  const member: MemberRow = { ...(known ?? { id: first.id, association_id, user_id, tenure: 0 }), ...present };
  if (known === undefined) await tx.orm.insert(members, member);
  else await tx.orm.update(members, { id: known.id }, present);
  await countMembers(tx, association_id, 1);
  const data = { member_id: member.id, user_id, role: member.role, rejoined: known !== undefined };
  outbox.append(tx, { type: 'member.joined', association_id, data });
  return member;
}
