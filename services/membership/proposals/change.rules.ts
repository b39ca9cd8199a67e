/** Changes of an association's rules (contract, section 3, "Governance"). */
import type { Rules, RulesChange } from '../../../lib/contracts/membership.ts';
import type { ErrorCode } from '../../../lib/errors/codes.ts';
import type { AssociationRecord } from '../associations/association.table.ts';

/** What an approved change asks for; whatever is absent stays as it is. */
export interface WantedRules {
  rules?: RulesChange;
  contribution_amount_minor?: bigint;
  max_members?: number;
}

/** What an association's members agree on and may change. */
export type Agreed = Pick<AssociationRecord, 'contribution_amount_minor' | 'max_members' | 'rules' | 'rules_version'>;

export type RulesChangePlan = { agreed: Agreed } | { refused: ErrorCode };

/** The rules with the changed members in place of the old ones, `approvals` member by member. */
export function mergeRules(rules: Rules, change: RulesChange): Rules {
  const { approvals = {}, ...others } = change;
  return { ...rules, ...present(others), approvals: { ...rules.approvals, ...present(approvals) } };
}

/**
 * The association's agreement after the change, as its next version.
 * @param association as it is under the lock on its row: `member_count` cannot grow meanwhile
 */
export function planRulesChange(
  association: Agreed & Pick<AssociationRecord, 'member_count'>,
  wanted: WantedRules,
): RulesChangePlan {
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

type Present<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

/** Validation leaves an absent member behind as undefined; spread over the rules it would erase one. */
function present<T extends object>(change: T): Present<T> {
  return Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined)) as Present<T>;
}
