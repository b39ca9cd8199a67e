import { PROPOSAL_TYPES } from '../../../lib/contracts/approvals.ts';
import type { SubjectType } from '../../../lib/contracts/approvals.ts';

/** A request as far as it matters who may decide it. */
export interface Request {
  subject_type: SubjectType;
  requested_by_member_id: string;
  /** Whom it benefits or concerns: a depositor, a beneficiary, the subject of a role change. */
  concerned_member_id: string | null;
}

/** How a request comes to its decision. */
export type Requirement =
  | { by: 'votes'; required_approvals: number }
  /** The board is one person, and it is his proposal: making it is approving it. */
  | { by: 'own_act' }
  | { by: 'nobody' };

/**
 * Who may vote: active board members other than the requester and the one concerned (contract, "Governance"). A
 * president whom the request replaces is not the one concerned.
 * @param board ids of the active members with a board role
 */
export function eligibleApprovers(board: readonly string[], request: Request): string[] {
  return board.filter((member) => member !== request.requested_by_member_id && member !== request.concerned_member_id);
}

/**
 * What a request needs, fixed when it is made.
 * @param rule how many approvals the association's rules ask of this type of subject
 */
export function requirementOf(board: readonly string[], request: Request, rule: number): Requirement {
  const eligible = eligibleApprovers(board, request).length;
  if (eligible > 0) return { by: 'votes', required_approvals: Math.min(rule, eligible) };
  const alone = board.length === 1 && board[0] === request.requested_by_member_id;
  return alone && isProposal(request.subject_type) ? { by: 'own_act' } : { by: 'nobody' };
}

/** Proposals move no money. */
function isProposal(type: SubjectType): boolean {
  return (PROPOSAL_TYPES as readonly string[]).includes(type);
}
