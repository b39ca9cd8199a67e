import { PROPOSAL_PAYLOADS } from '../../../lib/contracts/governance.ts';
import { invalid } from '../../../lib/errors/problem.ts';
import { complaintsAbout } from '../../../lib/schema/complaints.ts';
import { rulesOf } from '../../../lib/schema/rules.ts';
import { contractValidator } from '../../../lib/schema/validator.ts';
import { emptyPart } from '../domain/proposal.ts';
import type { ProposalType, TypedPayload } from '../domain/proposal.ts';

const validator = contractValidator();
const CHECKS = Object.fromEntries(
  Object.entries(PROPOSAL_PAYLOADS).map(([type, fields]) => [
    type,
    validator.compile({ $$strict: true, ...rulesOf(fields) }),
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
  const proposal = { type, payload: JSON.parse(JSON.stringify(read)) as unknown } as TypedPayload;
  const empty = emptyPart(proposal);
  if (empty !== null) {
    throw invalid({ pointer: `/payload${empty}`, code: 'required', detail: 'At least one member is required here.' });
  }
  return proposal;
}
