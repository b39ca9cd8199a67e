import { activeMember, authorized } from '../../../lib/actions/authorized.ts';
import { call } from '../../../lib/actions/call.ts';
import { answerLocation, implement } from '../../../lib/actions/implement.ts';
import * as governance from '../../../lib/contracts/governance.ts';
import type { Proposal } from '../../../lib/contracts/governance.ts';
import * as membership from '../../../lib/contracts/membership.ts';
import type { Terms } from '../../../lib/contracts/membership.ts';
import { problem } from '../../../lib/errors/problem.ts';
import { requirementOf } from '../domain/eligibility.ts';
import type { Requirement } from '../domain/eligibility.ts';
import type { GovernanceDeps } from '../deps.ts';
import type { ApprovalRow } from '../persistence/approval.entity.ts';
import { insertProposal } from '../persistence/approvals.ts';
import type { ProposalRow } from '../persistence/proposal.entity.ts';
import { decide } from '../sagas/decision.ts';
import { newApproval, storeApproval } from '../sagas/new-approval.ts';
import { tellOwner } from '../sagas/tell-owner.ts';
import { readPayload } from './proposal-payload.ts';
import { currentApproval } from './show.ts';

/** POST …/governance/proposals: a board executive asks the others for a change of the association. */
export const proposeAction = (deps: GovernanceDeps) =>
  implement(governance.propose, async ({ path, body }, caller, ctx) => {
    const { foundation, timings } = deps;
    const { association_id } = path;
    const { type, title } = body;
    const payload = readPayload(type, body.payload);
    const concerned_member_id = payload.member_id;
    const authorization = await authorized(ctx, caller, association_id, 'propose', {
      member_ids: [concerned_member_id],
    });
    activeMember(authorization, concerned_member_id);
    const { terms, board } = await call(ctx, membership.board, { association_id });
    const request = { subject_type: type, requested_by_member_id: authorization.member.member_id, concerned_member_id };
    const requirement = requirementOf(
      board.map((each) => each.member_id),
      request,
      terms.rules.approvals[type],
    );
    const { proposal, approval } = draft(deps, terms, requirement, { ...request, association_id, title, payload });
    await store(deps, proposal, approval, requirement);
    if (requirement.by === 'own_act') {
      const failure = await tellOwner(deps, ctx, approval, 'approved', timings.sweep_call_ms);
      if (failure !== undefined) {
        const { message } = failure as Error;
        ctx.service?.logger.warn('a proposal could not be executed yet', { approval_id: approval.id, message });
      }
    }
    answerLocation(ctx, `/associations/${association_id}/governance/approvals/${approval.id}`);
    return show(proposal, await currentApproval(foundation.db.manager, approval.id));
  });

interface Draft {
  association_id: string;
  subject_type: ProposalRow['type'];
  title: string;
  payload: Record<string, unknown>;
  requested_by_member_id: string;
  concerned_member_id: string;
}

function draft(
  { foundation }: GovernanceDeps,
  terms: Terms,
  requirement: Requirement,
  { title, ...request }: Draft,
): { proposal: ProposalRow; approval: ApprovalRow } {
  if (requirement.by === 'nobody') throw problem('no_eligible_approver');
  const { runtime } = foundation;
  const [id, subject_id] = [runtime.newId(), runtime.newId()];
  const required_approvals = requirement.by === 'votes' ? requirement.required_approvals : 0;
  const approval = newApproval(runtime, terms, { ...request, id, subject_id, required_approvals });
  const proposal: ProposalRow = {
    id: subject_id,
    association_id: request.association_id,
    type: request.subject_type,
    title,
    payload: request.payload,
    approval_id: id,
    created_at: approval.requested_at,
  };
  return { proposal, approval };
}

async function store(
  deps: GovernanceDeps,
  proposal: ProposalRow,
  approval: ApprovalRow,
  requirement: Requirement,
): Promise<void> {
  await deps.foundation.transaction(async (manager) => {
    await storeApproval(deps, manager, approval);
    await insertProposal(manager, proposal);
    if (requirement.by === 'own_act') await decide(deps, manager, approval, 'approved');
  });
  await deps.foundation.runtime.reached('governance.proposal_stored');
}

function show(row: ProposalRow, approval: Proposal['approval']): Proposal {
  const { id, association_id, type, title, payload } = row;
  return { id, association_id, type, title, payload, approval };
}
