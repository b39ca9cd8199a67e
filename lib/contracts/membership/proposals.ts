/** Commands with which governance checks and executes proposals. */
import * as t from '../fields.ts';
import { command, nothing } from '../action.ts';
import { executeApprovalCommand, PROPOSAL_TYPES } from '../approvals.ts';

/**
 * Checks whether a proposal could be executed now. Refuses with the error that its execution would fail with, such as
 * member_has_obligations or association_full. A closure is not checked here, as it depends on other services.
 */
export const checkProposal = command({
  name: 'membership.check_proposal',
  input: { association_id: t.id(), type: t.enumeration(PROPOSAL_TYPES), payload: t.free() },
  answer: nothing,
});

/** Executes an approved change of roles or rules, an expulsion or a closure, once per approval. */
export const executeApproval = executeApprovalCommand('membership');
