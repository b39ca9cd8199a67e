import type { ActionSchema } from 'moleculer';
import { call } from '../../../lib/service/call.ts';
import { answerLocation } from '../../../lib/service/implement.ts';
import { implementWrite } from '../../../lib/service/implement-write.ts';
import type { WriteHandler } from '../../../lib/service/implement-write.ts';
import { createAssociation } from '../../../lib/contracts/membership.ts';
import { openWallet } from '../../../lib/contracts/treasury.ts';
import { minorAmount } from '../authorize/access.rules.ts';
import type { AssociationRecord } from './association.table.ts';
import { displayNameOf } from '../domain/display-name.ts';
import type { MemberRecord } from '../members/member.table.ts';
import { presentAssociation } from './association.view.ts';
import { insertAssociation } from './association.store.ts';
import { insertMember } from '../members/member.store.ts';
import type { MembershipDeps } from '../deps.ts';

/** Founds an association; the caller becomes its president. */
export function createAssociationAction({ foundation }: MembershipDeps): ActionSchema {
  const { runtime, outbox } = foundation;
  const minor = (major: number, currency: string) => minorAmount(major, currency, '/contribution_amount');
  const handler: WriteHandler<typeof createAssociation> = async ({ body }, caller, ctx, operation) => {
    const { hands, contribution_amount, description = null, ...given } = body;
    const contribution_amount_minor = minor(contribution_amount, given.currency);
    // Opening is idempotent and a wallet harms nobody, so that it may come before what could still fail.
    const opening = { user_id: caller.user_id, currency: given.currency };
    const { wallet_id } = await call(ctx, openWallet, opening);

    const now = runtime.clock();
    const association: AssociationRecord = {
      ...given,
      id: operation.id,
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
      tenure: 0,
    };
    return foundation.transaction(async (manager) => {
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
      const answer = presentAssociation(association, founder);
      answerLocation(ctx, `/associations/${association.id}`);
      await operation.answered(manager, answer);
      return answer;
    });
  };
  return implementWrite(foundation, createAssociation, handler, ({ body }) => {
    minor(body.contribution_amount, body.currency);
  });
}
