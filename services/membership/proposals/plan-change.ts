import { PROPOSAL_PAYLOADS } from '../../../lib/contracts/governance.ts';
import { problem } from '../../../lib/errors/problem.ts';
import { ruleOf } from '../../../lib/schema/rules.ts';
import { contractValidator } from '../../../lib/schema/validator.ts';
import type { Apply, Change, ChangeScope, ProposalPayloads } from '../actions/change.ts';
import { changeRoles } from '../actions/change-roles.ts';
import { changeRules } from '../actions/change-rules.ts';

/** The proposals that change something in one transaction of this service. */
const CHANGES: { [T in 'role_change' | 'rules_change']: Change<T> } = {
  role_change: changeRoles,
  rules_change: changeRules,
};

const validator = contractValidator();
const readers = Object.fromEntries(
  Object.entries(PROPOSAL_PAYLOADS).map(([type, payload]) => [
    type,
    validator.compile({ $$root: true, ...(ruleOf(payload) as object) }),
  ]),
);

/**
 * What an approved proposal of the type does to the association; nothing for all other types.
 * @throws validation_failed for a payload that is none, and what refuses the change
 */
export function planChange(scope: ChangeScope, type: string, payload: Record<string, unknown>): Promise<Apply> {
  if (!isChange(type)) return Promise.resolve(() => Promise.resolve());
  const read = readPayload(type, payload);
  const change = CHANGES[type] as (scope: ChangeScope, payload: unknown) => Promise<Apply>;
  return change(scope, read);
}

/** The payload of a proposal of this type. @throws validation_failed if it is none */
export function readPayload<T extends keyof ProposalPayloads>(
  type: T,
  payload: Record<string, unknown>,
): ProposalPayloads[T] {
  const read = structuredClone(payload);
  if (readers[type]?.(read) !== true) throw problem('validation_failed');
  // The reader of the type has just checked it.
  return read as unknown as ProposalPayloads[T];
}

function isChange(type: string): type is keyof typeof CHANGES {
  return Object.hasOwn(CHANGES, type);
}
