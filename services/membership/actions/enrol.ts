/** What joining and accepting an invitation have in common. */
import type { EntityManager } from 'typeorm';
import { call } from '../../../lib/service/call.ts';
import type { CanCall } from '../../../lib/service/call.ts';
import type { Caller } from '../../../lib/contracts/action.ts';
import { openWallet } from '../../../lib/contracts/treasury.ts';
import { problem } from '../../../lib/errors/problem.ts';
import type { Foundation } from '../../../lib/service/service-context.ts';
import { admit } from '../members/member.rules.ts';
import type { Door } from '../members/member.rules.ts';
import type { AssociationRecord } from '../associations/association.table.ts';
import { displayNameOf } from '../domain/display-name.ts';
import type { MemberRecord } from '../members/member.table.ts';
import { countMembers, lockAssociation } from '../associations/association.store.ts';
import { findMember, insertMember, lockMember, updateMember } from '../members/member.store.ts';

export interface Joining {
  /** The member's id, if he has never been one. */
  id: string;
  association_id: string;
  caller: Caller;
  hands: number;
  /** The wallet that payouts go to until the member names another. */
  payout_wallet_id: string;
}

/**
 * The caller's wallet in the association's currency, opened if he has none. It comes before the transaction, since no
 * transaction waits for another service, and after a first look at whether he may join at all.
 * @throws the refusal of admit()
 */
export async function ownWallet(
  foundation: Foundation,
  via: CanCall,
  caller: Caller,
  door: Door,
  association: AssociationRecord,
): Promise<string> {
  const known = await findMember(foundation.db.manager, association.id, caller.user_id);
  const admission = admit(door, association, known);
  if ('refused' in admission) throw problem(admission.refused);
  const opening = { user_id: caller.user_id, currency: association.currency };
  return (await call(via, openWallet, opening)).wallet_id;
}

/**
 * Makes the caller an active member, in the caller's transaction. The association's row is locked first, so that
 * however many join at once, each finds the count as the one before left it.
 * @param claim takes what lets him in; its refusal comes before those of the association
 * @throws the refusal of admit()
 */
export async function enrol(
  foundation: Foundation,
  manager: EntityManager,
  door: Door,
  { id, association_id, caller, hands, payout_wallet_id }: Joining,
  claim: () => Promise<void> = () => Promise.resolve(),
): Promise<MemberRecord> {
  const association = await lockAssociation(manager, association_id);
  if (association === null) throw problem('not_found');
  const known = await lockMember(manager, association_id, caller.user_id);
  await claim();
  const admission = admit(door, association, known);
  if ('refused' in admission) throw problem(admission.refused);

  const member: MemberRecord = {
    id: known?.id ?? id,
    association_id,
    user_id: caller.user_id,
    display_name: known?.display_name ?? displayNameOf(caller.name),
    role: 'member',
    status: 'active',
    hands,
    payout_wallet_id: known?.payout_wallet_id ?? payout_wallet_id,
    joined_at: foundation.runtime.clock(),
    tenure: known?.tenure ?? 0,
  };
  if (known === null) {
    await insertMember(manager, member);
  } else {
    const { display_name, role, status, joined_at } = member;
    const payout = { payout_wallet_id: member.payout_wallet_id };
    await updateMember(manager, known.id, { display_name, role, status, hands, joined_at, ...payout });
  }
  await countMembers(manager, association_id, 1);
  await foundation.outbox.append(manager, {
    type: 'member.joined',
    association_id,
    data: { member_id: member.id, user_id: member.user_id, role: member.role, rejoined: known !== null },
  });
  return member;
}
