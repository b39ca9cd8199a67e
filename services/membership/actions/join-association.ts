import type { ActionSchema } from 'moleculer';
import { answerLocation, implement } from '../../../lib/actions/implement.ts';
import { joinAssociation } from '../../../lib/contracts/membership.ts';
import { problem } from '../../../lib/errors/problem.ts';
import { presentMember } from '../domain/presentation.ts';
import { findAssociation } from '../persistence/associations.ts';
import type { MembershipDeps } from '../deps.ts';
import { enrol, ownWallet } from './enrol.ts';

/** Joins a public association. */
export function joinAssociationAction({ foundation }: MembershipDeps): ActionSchema {
  const { manager } = foundation.db;
  return implement(joinAssociation, async ({ path, body }, caller, ctx) => {
    const { association_id } = path;
    const association = await findAssociation(manager, association_id);
    if (association === null) throw problem('not_found');
    const payout_wallet_id = await ownWallet(foundation, ctx, caller, 'public', association);
    const joining = { association_id, caller, hands: body.hands, payout_wallet_id };
    const member = await foundation.transaction((tx) => enrol(foundation, tx, 'public', joining));
    answerLocation(ctx, `/associations/${association_id}/members/me`);
    return presentMember(member, member);
  });
}
