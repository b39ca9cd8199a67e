/** The changes of rules and roles that members approve. */
import { completeRules, type Rules, type RulesChange } from '../../../lib/contracts/membership.ts';
import type { Role } from '../../../lib/contracts/permissions.ts';
import type { ErrorCode } from '../../../lib/errors/codes.ts';
import type { AssociationRow, AssociationStatus } from '../associations/association.table.ts';
import type { MemberRow } from '../members/member.table.ts';

/** The values that an approved change sets. Absent values stay as they are. */
export interface WantedRules {
  rules?: RulesChange | undefined;
  contribution_amount_minor?: bigint | undefined;
  max_members?: number | undefined;
}

/** The columns of an association that its members may change. */
export type Agreed = Pick<AssociationRow, 'contribution_amount_minor' | 'max_members' | 'rules' | 'rules_version'>;

/** Returns the rules with the changed members replaced. Members of `approvals` are replaced one by one. */
export function mergeRules(rules: Rules, change: RulesChange): Rules {
  const { approvals = {}, ...others } = change;
  const stored = completeRules(rules);
  return { ...stored, ...others, approvals: { ...stored.approvals, ...approvals } };
}

/**
 * Returns the association's agreement after the change, as its next version.
 * @param association read under the lock on its row, so that `member_count` cannot grow
 */
export function planRulesChange(
  association: Agreed & Pick<AssociationRow, 'member_count'>,
  wanted: WantedRules,
): { agreed: Agreed } | { refused: ErrorCode } {
  const max_members = wanted.max_members ?? association.max_members;
  if (max_members < association.member_count) return { refused: 'association_full' };
  return {
    agreed: {
      contribution_amount_minor: wanted.contribution_amount_minor ?? association.contribution_amount_minor,
      max_members,
      rules: mergeRules(association.rules, wanted.rules ?? {}),
      rules_version: association.rules_version + 1,
    },
  };
}

/** The change of a member's role. */
export interface RoleChange {
  member_id: string;
  from: Role;
  to: Role;
}

type Member = Pick<MemberRow, 'id' | 'role' | 'status'>;

/**
 * Returns the changes that give `target` the role, in the order in which they must be stored: the old president becomes
 * a member before the new one takes office, because there is exactly one president. The president loses the office only
 * to a new president, so another role for them is refused.
 */
export function planRoleChange(
  status: AssociationStatus,
  target: Member | undefined,
  role: Role,
  president: Member,
): { changes: RoleChange[] } | { refused: ErrorCode } {
  if (target?.status !== 'active') return { refused: 'not_found' };
  if (status === 'closed') return { refused: 'association_closed' };
  if (target.role === role) return { changes: [] };
  if (target.role === 'president') return { refused: 'president_cannot_leave' };
  const change: RoleChange = { member_id: target.id, from: target.role, to: role };
  if (role !== 'president') return { changes: [change] };
  return { changes: [{ member_id: president.id, from: president.role, to: 'member' }, change] };
}
