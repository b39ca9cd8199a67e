import type { ProposalPayloads } from '../../../lib/contracts/governance.ts';
import { problem } from '../../../lib/errors/problem.ts';
import { minorAmount } from '../domain/access.ts';
import { planRulesChange } from '../domain/rules-change.ts';
import type { WantedRules } from '../domain/rules-change.ts';
import { updateAgreed } from '../persistence/associations.ts';
import type { Change } from './change.ts';

/**
 * The association gets other rules, another amount or another size. Refuses with association_closed, association_full
 * (fewer members than there are), amount_precision.
 */
export const changeRules: Change<'rules_change'> = ({ foundation, manager, association }, payload) => {
  const { id: association_id, currency } = association;
  if (association.status === 'closed') throw problem('association_closed');
  const plan = planRulesChange(association, wantedRules(payload, currency));
  if ('refused' in plan) throw problem(plan.refused);
  const { agreed } = plan;
  return Promise.resolve(async (approval_id: string) => {
    await updateAgreed(manager, association_id, agreed);
    const { rules_version, max_members } = agreed;
    const contribution_amount_minor = Number(agreed.contribution_amount_minor);
    const data = { rules_version, contribution_amount_minor, max_members, approval_id };
    await foundation.outbox.append(manager, { type: 'rules.changed', association_id, data });
  });
};

/** @throws amount_precision, or validation_failed for an amount that is too large */
function wantedRules(payload: ProposalPayloads['rules_change'], currency: string): WantedRules {
  const { rules, contribution_amount: amount, max_members } = payload;
  return {
    ...(rules === undefined ? {} : { rules }),
    ...(max_members === undefined ? {} : { max_members }),
    ...(amount === undefined
      ? {}
      : { contribution_amount_minor: minorAmount(amount, currency, '/payload/contribution_amount') }),
  };
}
