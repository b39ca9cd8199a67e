/** What governance asks membership about proposals. */
import * as t from '../fields.ts';
import { command, nothing } from '../action.ts';
import { executeApprovalCommand, PROPOSAL_TYPES } from '../approvals.ts';

/**
 * Whether a proposal could be carried out now; refuses with what would make its execution fail (member_has_obligations,
 * president_cannot_leave, association_full, amount_precision). Writes nothing.
 */
export const checkProposal = command({
  name: 'membership.check_proposal',
  input: { association_id: t.id(), type: t.enumeration(PROPOSAL_TYPES), payload: t.free() },
  answer: nothing,
});

/** Carries out an approved change of roles or rules, expulsion or closure, once for each approval. */
export const executeApproval = executeApprovalCommand('membership');
