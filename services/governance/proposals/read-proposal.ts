import { PROPOSAL_PAYLOADS } from '../../../lib/contracts/governance.ts';
import { invalid } from '../../../lib/errors/problem.ts';
import { complaintsAbout } from '../../../lib/schema/complaints.ts';
import { ruleOf } from '../../../lib/schema/rules.ts';
import { contractValidator } from '../../../lib/schema/validator.ts';
import type { ProposalType, TypedPayload } from './proposal.rules.ts';

const validator = contractValidator();
const CHECKS = Object.fromEntries(
  Object.entries(PROPOSAL_PAYLOADS).map(([type, payload]) => [
    type,
    validator.compile({ $$root: true, ...(ruleOf(payload) as object) }),
  ]),
);

/**
 * Checks what a proposal of this type carries, and gives it in its normal form: the one that is stored and hashed.
 * @throws validation_failed with pointers at or below `/payload`
 */
export function readProposal(type: ProposalType, payload: Record<string, unknown>): TypedPayload {
  const read = structuredClone(payload);
  const result: unknown = CHECKS[type]?.(read);
  if (Array.isArray(result)) throw invalid(...complaintsAbout(result, read, '/payload'));
  // The validator leaves `undefined` where an optional member is absent; JSON has no such thing.
  return { type, payload: JSON.parse(JSON.stringify(read)) as unknown } as TypedPayload;
}
