import type { ActionSchema } from 'moleculer';
import { checkFineRules, createAssociation } from '../../../lib/contracts/membership.ts';
import { metadataMember, storedMetadata } from '../../../lib/contracts/metadata.ts';
import { openWallet } from '../../../lib/contracts/treasury.ts';
import { minorAmount } from '../../../lib/money/minor-amount.ts';
import { call } from '../../../lib/service/call.ts';
import { answerLocation } from '../../../lib/service/implement.ts';
import { implementWrite, type WriteHandler } from '../../../lib/service/implement-write.ts';
import type { MembershipDeps } from '../deps.ts';
import { displayNameOf } from '../members/member.rules.ts';
import { members, type MemberRow } from '../members/member.table.ts';
import { associations, type AssociationRow } from './association.table.ts';
import { showAssociation } from './association.view.ts';
import { checkFineAmounts } from './fine-amounts.rules.ts';
import { searchText } from './search-text.rules.ts';

/** Creates an association. The caller becomes its president. */
export function createAssociationAction(deps: MembershipDeps): ActionSchema {
  const { db, runtime, outbox } = deps;
  const minor = (major: number, currency: string) => minorAmount(major, currency, '/contribution_amount');
  const handler: WriteHandler<typeof createAssociation> = async ({ body }, caller, ctx, operation) => {
    const { hands, contribution_amount, description = null, ...given } = body;
    const { user_id } = caller;
    const contribution_amount_minor = minor(contribution_amount, given.currency);
    // Opening is idempotent, and an unused wallet does no harm if a later step fails.
    const { wallet_id } = await call(ctx, openWallet, { user_id, currency: given.currency });

    const now = runtime.clock();
    const association: AssociationRow = {
      ...given,
      id: operation.id,
      description,
      contribution_amount_minor,
      status: 'active',
      member_count: 1,
      rules_version: 1,
      created_at: now,
      metadata: storedMetadata(body.metadata),
    };
    const president: MemberRow = {
      id: runtime.newId(),
      association_id: association.id,
      user_id,
      display_name: displayNameOf(caller.name),
      role: 'president',
      status: 'active',
      hands,
      payout_wallet_id: wallet_id,
      joined_at: now,
      tenure: 0,
    };
    return db.transaction(async (tx) => {
      const { id: association_id, name, type, currency, contribution_frequency, time_zone } = association;
      await tx.orm.insert(associations, { ...association, search_text: searchText(name, description) });
      await tx.orm.insert(members, president);
      const joined = { member_id: president.id, user_id, role: president.role, rejoined: false };
      outbox.append(
        tx,
        {
          type: 'association.created',
          association_id,
          data: { name, type, currency, contribution_frequency, time_zone, ...metadataMember(association.metadata) },
        },
        { type: 'member.joined', association_id, data: joined },
      );
      const answer = showAssociation(association, president);
      answerLocation(ctx, `/associations/${association_id}`);
      await operation.keep(tx, answer);
      return answer;
    });
  };
  return implementWrite(deps, createAssociation, handler, {
    check: ({ body }) => {
      checkFineRules(body.rules.fines, '/rules/fines');
      minor(body.contribution_amount, body.currency);
      checkFineAmounts(body.rules.fines, body.currency, '/rules/fines');
    },
  });
}
