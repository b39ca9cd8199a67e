import type { ActionSchema } from 'moleculer';
import { answerLocation } from '../../../lib/service/implement.ts';
import { implementWrite } from '../../../lib/service/implement-write.ts';
import { joinAssociation } from '../../../lib/contracts/membership.ts';
import { problem } from '../../../lib/errors/problem.ts';
import { presentMember } from '../associations/association.view.ts';
import { findAssociation } from '../associations/association.store.ts';
import type { MembershipDeps } from '../deps.ts';
import { enrol, ownWallet } from '../actions/enrol.ts';

/** Joins a public association. */
export function joinAssociationAction({ foundation }: MembershipDeps): ActionSchema {
  const { manager } = foundation.db;
  return implementWrite(foundation, joinAssociation, async ({ path, body }, caller, ctx, operation) => {
    const { association_id } = path;
    const association = await findAssociation(manager, association_id);
    if (association === null) throw problem('not_found');
    const payout_wallet_id = await ownWallet(foundation, ctx, caller, 'public', association);
    const joining = { id: operation.id, association_id, caller, hands: body.hands, payout_wallet_id };
    return foundation.transaction(async (tx) => {
      const member = await enrol(foundation, tx, 'public', joining);
      const answer = presentMember(member, member);
      answerLocation(ctx, `/associations/${association_id}/members/me`);
      await operation.answered(tx, answer);
      return answer;
    });
  });
}
