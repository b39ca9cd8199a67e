import type { EntityManager } from 'typeorm';
import { answerLocation } from '../../../lib/actions/implement.ts';
import type { CallContext } from '../../../lib/actions/implement.ts';
import { implementWrite } from '../../../lib/actions/implement-write.ts';
import * as governance from '../../../lib/contracts/governance.ts';
import type { Proposal } from '../../../lib/contracts/governance.ts';
import type { Operation } from '../../../lib/idempotency/operation.ts';
import { storeUnlocked } from '../../../lib/locks/locks.ts';
import { violatesUnique } from '../../../lib/db/errors.ts';
import type { GovernanceDeps } from '../deps.ts';
import { findProposal, insertProposal } from '../persistence/approvals.ts';
import type { ProposalRow } from '../persistence/proposal.entity.ts';
import { isBeingClosed } from '../persistence/seals.ts';
import { decide } from '../sagas/decision.ts';
import { newApproval, storeApproval } from '../sagas/new-approval.ts';
import { carryOut } from './carry-out.ts';
import { judgeProposal } from './judge-proposal.ts';
import type { Admitted } from './judge-proposal.ts';
import { readProposal } from './read-proposal.ts';
import { currentApproval } from './show.ts';

/** POST …/governance/proposals: a board executive asks the others for a change of the association, or for their word. */
export const proposeAction = (deps: GovernanceDeps) =>
  implementWrite(
    deps.foundation,
    governance.propose,
    async ({ path: { association_id }, body }, caller, ctx, operation) => {
      const before = operation.resumed ? await findShown(deps, ctx, operation.id) : null;
      if (before !== null) return carriedOut(deps, ctx, before);
      const { runtime } = deps.foundation;
      const proposed = readProposal(body.type, body.payload);
      const approval_id = runtime.newId();
      const admitted = await judgeProposal(deps, ctx, caller, association_id, proposed, approval_id);
      const draft = { title: body.title, payload: proposed.payload, association_id, approval_id };
      const proposal = await store(deps, ctx, operation, draft, admitted);
      await runtime.reached('governance.proposal_stored');
      return carriedOut(deps, ctx, proposal);
    },
    ({ body }) => {
      readProposal(body.type, body.payload);
    },
  );

interface Draft {
  association_id: string;
  approval_id: string;
  title: string;
  payload: Record<string, unknown>;
}

/** Stores the proposal under the operation's id, once; approved already if it needs no other's vote. */
async function store(
  deps: GovernanceDeps,
  ctx: CallContext,
  operation: Operation,
  { title, approval_id, ...draft }: Draft,
  { request, requirement, terms }: Admitted,
): Promise<Proposal> {
  const { foundation, timings } = deps;
  const required_approvals = requirement.by === 'votes' ? requirement.required_approvals : 0;
  const opened = { ...request, ...draft, id: approval_id, subject_id: operation.id, required_approvals };
  const approval = newApproval(foundation.runtime, terms, opened);
  const created_at = approval.requested_at;
  const row: ProposalRow = { ...draft, id: operation.id, type: request.subject_type, title, approval_id, created_at };
  const gate = {
    isLocked: (manager: EntityManager) => isBeingClosed(manager, draft.association_id),
    stillAllowed: () => foundation.runtime.reached('governance.proposal_waits'),
    wait_ms: timings.lock_wait_ms,
  };
  try {
    return await storeUnlocked(foundation, gate, async (manager) => {
      await storeApproval(deps, manager, approval);
      await insertProposal(manager, row);
      if (requirement.by === 'own_act') await decide(deps, manager, approval, 'approved', created_at);
      const proposal = await show(manager, ctx, row);
      // What has still to be carried out is answered once it has been.
      if (proposal.approval.execution.status !== 'pending') await operation.answered(manager, proposal);
      return proposal;
    });
  } catch (error) {
    // An earlier try of the same operation was slower than thought, and has stored it meanwhile.
    const stored = violatesUnique(error, 'approvals_subject_once') ? await findShown(deps, ctx, operation.id) : null;
    if (stored === null) throw error;
    return stored;
  }
}

/** While the board is one person his proposal is executed before it is answered. */
async function carriedOut(deps: GovernanceDeps, ctx: CallContext, proposal: Proposal): Promise<Proposal> {
  return { ...proposal, approval: await carryOut(deps, ctx, proposal.approval, deps.timings.sweep_call_ms) };
}

async function findShown({ foundation }: GovernanceDeps, ctx: CallContext, id: string): Promise<Proposal | null> {
  const { manager } = foundation.db;
  const row = await findProposal(manager, id);
  return row === null ? null : show(manager, ctx, row);
}

/** A proposal as clients see it, and where its approval is found. */
async function show(manager: EntityManager, ctx: CallContext, row: ProposalRow): Promise<Proposal> {
  const { id, association_id, type, title, payload, approval_id } = row;
  answerLocation(ctx, `/associations/${association_id}/governance/approvals/${approval_id}`);
  return { id, association_id, type, title, payload, approval: await currentApproval(manager, approval_id) };
}
