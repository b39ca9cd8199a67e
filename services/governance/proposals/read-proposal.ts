import { readProposalPayload } from '../../../lib/contracts/governance.ts';
import type { ProposalType, TypedPayload } from './proposal.rules.ts';

/** A proposal of this type with its payload as it is stored and hashed. @throws validation_failed */
export function readProposal(type: ProposalType, payload: Record<string, unknown>): TypedPayload {
  // The payload is that of the type.
  return { type, payload: readProposalPayload(type, payload) } as TypedPayload;
}
