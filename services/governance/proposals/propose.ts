import { propose, type Proposal } from '../../../lib/contracts/governance.ts';
import type { Db } from '../../../lib/db/db.ts';
import { isRace } from '../../../lib/db/errors.ts';
import { insertStatement } from '../../../lib/db/table.ts';
import { problem } from '../../../lib/errors/problem.ts';
import type { Operation } from '../../../lib/idempotency/operation.ts';
import { storeWhenUnlocked, type Gate } from '../../../lib/locks/locks.ts';
import { implementWrite } from '../../../lib/service/implement-write.ts';
import { answerLocation, type CallContext } from '../../../lib/service/implement.ts';
import { readClosureState } from '../approvals/approval.store.ts';
import { readApproval } from '../approvals/approval.view.ts';
import { decide } from '../approvals/decide-approval.ts';
import { newApproval, storeApproval } from '../approvals/open-approval.ts';
import type { GovernanceDeps } from '../deps.ts';
import { executeDecision } from '../executions/execute-decision.ts';
import { admitProposal, type Admitted } from './admit-proposal.ts';
import { proposals, type ProposalRow } from './proposal.table.ts';
import { readProposal } from './proposal.rules.ts';

/** Makes a proposal, which the other board members decide: a change of the association, or a motion. */
export const proposeAction = (deps: GovernanceDeps) =>
  implementWrite(
    deps,
    propose,
    async ({ path: { association_id }, body }, caller, ctx, operation) => {
      const { db, runtime } = deps;
      const stored = operation.resumed ? await findShown(db, ctx, operation.id) : null;
      if (stored !== null) return executeIfApproved(deps, ctx, stored);
      const proposed = readProposal(body.type, body.payload);
      const approval_id = runtime.newId();
      const admitted = await admitProposal(deps, ctx, caller, association_id, proposed, approval_id);
      const draft = { title: body.title, payload: proposed.payload, association_id, approval_id };
      const proposal = await store(deps, ctx, operation, draft, admitted);
      await runtime.reached('governance.proposal_stored');
      return executeIfApproved(deps, ctx, proposal);
    },
    { check: ({ body }) => void readProposal(body.type, body.payload) },
  );

type Draft = Pick<ProposalRow, 'association_id' | 'approval_id' | 'title' | 'payload'>;

/** Stores the proposal under the operation's id, once. A proposal that needs no vote is approved immediately. */
async function store(
  deps: GovernanceDeps,
  ctx: CallContext,
  operation: Operation,
  { title, approval_id, ...draft }: Draft,
  { request, required_approvals, terms }: Admitted,
): Promise<Proposal> {
  const { db, runtime } = deps;
  const opened = { ...request, ...draft, id: approval_id, subject_id: operation.id, required_approvals };
  const approval = newApproval(runtime, terms, opened);
  const created_at = approval.requested_at;
  const row: ProposalRow = { ...draft, id: operation.id, type: request.subject_type, title, approval_id, created_at };
  try {
    return await storeWhenUnlocked(db, closureGate(deps, draft.association_id), async (tx) => {
      storeApproval(deps, tx, approval);
      tx.send(...insertStatement(proposals, [row]));
      if (required_approvals === 0) await decide(deps, tx, approval, 'approved', created_at);
      const proposal = await show(tx, ctx, row);
      // A decision that must be executed first is answered afterwards.
      const isPending = proposal.approval.execution.status === 'pending';
      await (isPending ? operation.hold(tx) : operation.keep(tx, proposal));
      return proposal;
    });
  } catch (error) {
    // Another attempt of the same operation may have stored the proposal.
    const stored = isRace(error) ? await findShown(db, ctx, operation.id) : null;
    if (stored === null) throw error;
    return stored;
  }
}

/** Returns the gate at which a proposal waits while the association is locked by a closure that may still fail. */
function closureGate({ timings, runtime }: GovernanceDeps, association_id: string): Gate {
  return {
    isLocked: async (tx) => {
      const state = await readClosureState(tx, association_id);
      if (state === 'closed') throw problem('association_closed');
      if (state === 'closing') await runtime.reached('governance.proposal_waits');
      return state === 'closing';
    },
    wait_ms: timings.lock_wait_ms,
  };
}

/** Executes a proposal that needed no vote, before it is answered. */
async function executeIfApproved(deps: GovernanceDeps, ctx: CallContext, proposal: Proposal): Promise<Proposal> {
  return { ...proposal, approval: await executeDecision(deps, ctx, proposal.approval) };
}

async function findShown(db: Db, ctx: CallContext, id: string): Promise<Proposal | null> {
  const row = await db.orm.findOneBy(proposals, { id });
  return row === null ? null : show(db, ctx, row);
}

/** Returns a proposal as clients see it, and sets `Location` to its approval. */
async function show(db: Db, ctx: CallContext, row: ProposalRow): Promise<Proposal> {
  const { id, association_id, type, title, payload, approval_id } = row;
  answerLocation(ctx, `/associations/${association_id}/governance/approvals/${approval_id}`);
  return { id, association_id, type, title, payload, approval: await readApproval(db, approval_id) };
}
