/** What proposals carry, as far as it decides anything here (contract, "Governance"). */
import type { ProposalPayloads } from '../../../lib/contracts/governance.ts';

export type ProposalType = keyof ProposalPayloads;

/** A type with the payload that it carries. */
export type TypedPayload = {
  [T in ProposalType]: { type: T; payload: ProposalPayloads[T] };
}[ProposalType];

/** The member that the proposal concerns, who may not vote on it. A president that it replaces is not concerned. */
export function concernedMember({ type, payload }: TypedPayload): string | null {
  return type === 'role_change' || type === 'expulsion' ? payload.member_id : null;
}
