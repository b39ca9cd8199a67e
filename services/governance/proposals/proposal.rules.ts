import type { ProposalType } from '../../../lib/contracts/approvals.ts';
import { checkFineRules } from '../../../lib/contracts/membership.ts';
import { readProposalPayload, type ProposalPayloads } from '../../../lib/contracts/governance.ts';

/** The type of a proposal, with a payload of this type. */
export type TypedPayload = {
  [T in ProposalType]: { type: T; payload: ProposalPayloads[T] };
}[ProposalType];

/**
 * Returns the member that the proposal names, who may not vote on it. A president who is replaced is not named. That of a
 * fine is known to contribution.
 */
export function concernedMember({ type, payload }: TypedPayload): string | null {
  return type === 'role_change' || type === 'expulsion' ? payload.member_id : null;
}

/**
 * Returns a proposal of this type, with its payload as it is stored and hashed.
 * @throws validation_failed
 */
export function readProposal(type: ProposalType, payload: Record<string, unknown>): TypedPayload {
  // TypeScript cannot see that the payload has the type of `type`.
  const read = { type, payload: readProposalPayload(type, payload) } as TypedPayload;
  if (read.type === 'rules_change') checkFineRules(read.payload.rules?.fines, '/payload/rules/fines');
  return read;
}
