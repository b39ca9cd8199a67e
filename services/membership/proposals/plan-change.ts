import { readProposalPayload, type ProposalPayloads } from '../../../lib/contracts/governance.ts';
import type { Transaction } from '../../../lib/db/db.ts';
import { problem } from '../../../lib/errors/problem.ts';
import type { Outbox } from '../../../lib/events/outbox.ts';
import { minorAmount } from '../../../lib/money/minor-amount.ts';
import { associations, type AssociationRow } from '../associations/association.table.ts';
import { checkFineAmounts } from '../associations/fine-amounts.rules.ts';
import { lockMemberById, lockPresident } from '../members/member.store.ts';
import { members } from '../members/member.table.ts';
import { planRoleChange, planRulesChange } from './change.rules.ts';

/** The transaction in which a proposal is checked or carried out. The association is locked. */
export interface ChangeScope {
  outbox: Outbox;
  tx: Transaction;
  association: AssociationRow;
}

/** Carries out the prepared change, with its events, in the same transaction. */
type Apply = (approval_id: string) => Promise<void>;

/**
 * Prepares a change of roles or rules. For other types of proposals the prepared change does nothing. Preparing writes
 * nothing, so it also serves to check a proposal.
 * @throws validation_failed for a payload of another form; the refusal of the change
 */
export async function prepareChange(
  scope: ChangeScope,
  type: string,
  payload: Record<string, unknown>,
): Promise<Apply> {
  if (type === 'role_change') return prepareRoleChange(scope, readProposalPayload(type, payload));
  if (type === 'rules_change') return prepareRulesChange(scope, readProposalPayload(type, payload));
  return () => Promise.resolve();
}

/**
 * Prepares a change of a member's role. A new president replaces the old one in the same transaction.
 * @throws not_found, association_closed, president_cannot_leave
 */
async function prepareRoleChange(
  { outbox, tx, association }: ChangeScope,
  { member_id, role }: ProposalPayloads['role_change'],
): Promise<Apply> {
  const { id: association_id, status } = association;
  const president = await lockPresident(tx, association_id);
  const target = await lockMemberById(tx, association_id, member_id);
  const plan = planRoleChange(status, target, role, president);
  if ('refused' in plan) throw problem(plan.refused);
  return async (approval_id) => {
    for (const { member_id: id, from, to } of plan.changes) {
      await tx.orm.update(members, { id }, { role: to });
      const data = { member_id: id, from, to, approval_id };
      outbox.append(tx, { type: 'member.role_changed', association_id, data });
    }
  };
}

/**
 * Prepares a change of the association's rules, amount or maximum number of members.
 * @throws association_closed, association_full if it has more members than the new maximum, amount_precision,
 *   validation_failed for an amount that is too large
 */
function prepareRulesChange(
  { outbox, tx, association }: ChangeScope,
  { rules, contribution_amount: amount, max_members }: ProposalPayloads['rules_change'],
): Apply {
  const { id: association_id, currency } = association;
  if (association.status === 'closed') throw problem('association_closed');
  const contribution_amount_minor =
    amount === undefined ? undefined : minorAmount(amount, currency, '/payload/contribution_amount');
  checkFineAmounts(rules?.fines, currency, '/payload/rules/fines');
  const plan = planRulesChange(association, { rules, contribution_amount_minor, max_members });
  if ('refused' in plan) throw problem(plan.refused);
  const { agreed } = plan;
  return async (approval_id) => {
    await tx.orm.update(associations, { id: association_id }, agreed);
    const data = {
      rules_version: agreed.rules_version,
      contribution_amount_minor: Number(agreed.contribution_amount_minor),
      max_members: agreed.max_members,
      approval_id,
    };
    outbox.append(tx, { type: 'rules.changed', association_id, data });
  };
}
