import { readProposalPayload } from '../../../lib/contracts/governance.ts';
import type { Apply, Change, ChangeScope } from './change.ts';
import { changeRoles } from './change-roles.ts';
import { changeRules } from './change-rules.ts';

/** The proposals that change something in one transaction of this service. */
const CHANGES: { [T in 'role_change' | 'rules_change']: Change<T> } = {
  role_change: changeRoles,
  rules_change: changeRules,
};

/**
 * What an approved proposal of the type does to the association; nothing for all other types.
 * @throws validation_failed for a payload that is none, and what refuses the change
 */
export function planChange(scope: ChangeScope, type: string, payload: Record<string, unknown>): Promise<Apply> {
  if (!isChange(type)) return Promise.resolve(() => Promise.resolve());
  const read = readProposalPayload(type, payload);
  const change = CHANGES[type] as (scope: ChangeScope, payload: unknown) => Promise<Apply>;
  return change(scope, read);
}

function isChange(type: string): type is keyof typeof CHANGES {
  return Object.hasOwn(CHANGES, type);
}
