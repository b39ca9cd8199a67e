/** What proposals carry, as far as it decides anything here (contract, "Governance"). */
import type { ProposalPayloads } from '../../../lib/contracts/governance.ts';

export type ProposalType = keyof ProposalPayloads;

/** A type with the payload that it carries. */
export type TypedPayload = {
  [T in ProposalType]: { type: T; payload: ProposalPayloads[T] };
}[ProposalType];

/** Whom the proposal concerns: he may not vote on it. A president whom it replaces is not the one. */
export function concernedBy(proposal: TypedPayload): string | null {
  switch (proposal.type) {
    case 'role_change':
    case 'expulsion':
      return proposal.payload.member_id;
    case 'rules_change':
    case 'closure':
    case 'motion':
      return null;
  }
}
