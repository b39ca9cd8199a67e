/** The payloads of proposals (contract, "Governance"). */
import type { ProposalType } from '../../../lib/contracts/approvals.ts';
import { readProposalPayload, type ProposalPayloads } from '../../../lib/contracts/governance.ts';

/** The type of a proposal, with a payload of this type. */
export type TypedPayload = {
  [T in ProposalType]: { type: T; payload: ProposalPayloads[T] };
}[ProposalType];

/** The member that the proposal concerns, who may not vote on it. A president that it replaces is not concerned. */
export function concernedMember({ type, payload }: TypedPayload): string | null {
  return type === 'role_change' || type === 'expulsion' ? payload.member_id : null;
}

/** A proposal of this type with its payload as it is stored and hashed. @throws validation_failed */
export function readProposal(type: ProposalType, payload: Record<string, unknown>): TypedPayload {
  // The payload is that of the type.
  return { type, payload: readProposalPayload(type, payload) } as TypedPayload;
}
