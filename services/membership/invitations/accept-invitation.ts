import type { ActionSchema } from 'moleculer';
import { answerLocation } from '../../../lib/service/implement.ts';
import { implementWrite } from '../../../lib/service/implement-write.ts';
import { acceptInvitation } from '../../../lib/contracts/membership.ts';
import { problem } from '../../../lib/errors/problem.ts';
import { hashCode } from './invitation.table.ts';
import { presentMember } from '../associations/association.view.ts';
import { findAssociation } from '../associations/association.store.ts';
import { claimInvitation, findUsableInvitation } from './invitation.store.ts';
import type { MembershipDeps } from '../deps.ts';
import { enrol, ownWallet } from '../actions/enrol.ts';

/** Joins by invitation, which is also how an expelled member comes back. */
export function acceptInvitationAction({ foundation }: MembershipDeps): ActionSchema {
  const { db, runtime } = foundation;
  return implementWrite(foundation, acceptInvitation, async ({ path, body }, caller, ctx, operation) => {
    const invitation = await findUsableInvitation(db.manager, hashCode(path.code), runtime.clock());
    if (invitation === null) throw problem('not_found');
    const { association_id } = invitation;
    const association = await findAssociation(db.manager, association_id);
    if (association === null) throw problem('not_found');
    const payout_wallet_id = await ownWallet(foundation, ctx, caller, 'invitation', association);

    const joining = { id: operation.id, association_id, caller, hands: body.hands, payout_wallet_id };
    return foundation.transaction(async (tx) => {
      const member = await enrol(foundation, tx, 'invitation', joining, async () => {
        if (!(await claimInvitation(tx, invitation.id, runtime.clock()))) throw problem('not_found');
      });
      const answer = presentMember(member, member);
      answerLocation(ctx, `/associations/${association_id}/members/me`);
      await operation.answered(tx, answer);
      return answer;
    });
  });
}
