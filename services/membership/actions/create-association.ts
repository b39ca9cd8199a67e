import type { ActionSchema } from 'moleculer';
import { call } from '../../../lib/actions/call.ts';
import { answerLocation, implement } from '../../../lib/actions/implement.ts';
import { createAssociation } from '../../../lib/contracts/membership.ts';
import { openWallet } from '../../../lib/contracts/treasury.ts';
import { minorAmount } from '../domain/access.ts';
import type { AssociationRecord } from '../domain/association.ts';
import { displayNameOf } from '../domain/display-name.ts';
import type { MemberRecord } from '../domain/member.ts';
import { presentAssociation } from '../domain/presentation.ts';
import { insertAssociation } from '../persistence/associations.ts';
import { insertMember } from '../persistence/members.ts';
import type { MembershipDeps } from '../deps.ts';

/** Founds an association; the caller becomes its president. */
export function createAssociationAction({ foundation }: MembershipDeps): ActionSchema {
  const { runtime, outbox } = foundation;
  return implement(createAssociation, async ({ body }, caller, ctx) => {
    const { hands, contribution_amount, description = null, ...given } = body;
    const contribution_amount_minor = minorAmount(contribution_amount, given.currency, '/contribution_amount');
    // Opening is idempotent and a wallet harms nobody, so that it may come before what could still fail.
    const opening = { user_id: caller.user_id, currency: given.currency };
    const { wallet_id } = await call(ctx, openWallet, opening);

    const now = runtime.clock();
    const association: AssociationRecord = {
      ...given,
      id: runtime.newId(),
      description,
      contribution_amount_minor,
      status: 'active',
      member_count: 1,
      rules_version: 1,
      created_at: now,
    };
    const founder: MemberRecord = {
      id: runtime.newId(),
      association_id: association.id,
      user_id: caller.user_id,
      display_name: displayNameOf(caller.name),
      role: 'president',
      status: 'active',
      hands,
      payout_wallet_id: wallet_id,
      joined_at: now,
    };
    await foundation.transaction(async (manager) => {
      await insertAssociation(manager, association);
      await insertMember(manager, founder);
      const { name, type, currency, contribution_frequency } = association;
      await outbox.append(
        manager,
        {
          type: 'association.created',
          association_id: association.id,
          data: { name, type, currency, contribution_frequency },
        },
        {
          type: 'member.joined',
          association_id: association.id,
          data: { member_id: founder.id, user_id: founder.user_id, role: founder.role, rejoined: false },
        },
      );
    });
    answerLocation(ctx, `/associations/${association.id}`);
    return presentAssociation(association, founder);
  });
}
