import { activeMember, authorizeCaller } from '../../../lib/service/authorize-caller.ts';
import { call } from '../../../lib/service/call.ts';
import type { CallContext } from '../../../lib/service/implement.ts';
import type { Caller } from '../../../lib/contracts/action.ts';
import * as contribution from '../../../lib/contracts/contribution.ts';
import * as membership from '../../../lib/contracts/membership.ts';
import type { Authorization, Terms } from '../../../lib/contracts/membership.ts';
import * as treasury from '../../../lib/contracts/treasury.ts';
import { problem, problemCode, problemExtras } from '../../../lib/errors/problem.ts';
import type { FieldComplaint } from '../../../lib/errors/problem.ts';
import { requirementOf } from '../domain/eligibility.ts';
import type { Request, Requirement } from '../domain/eligibility.ts';
import { concernedBy } from '../domain/proposal.ts';
import type { ProposalType, TypedPayload } from '../domain/proposal.ts';
import type { GovernanceDeps } from '../deps.ts';
import { hasPending } from '../persistence/approvals.ts';

/** A proposal that may be made. */
export interface Admitted {
  request: Request & { subject_type: ProposalType };
  /** Never `nobody`. */
  requirement: Exclude<Requirement, { by: 'nobody' }>;
  terms: Terms;
}

/**
 * Whether the caller may make this proposal here, and could it be carried out as things stand; throws the first refusal
 * in the contract's order.
 * @param approval_id what its approval will go by
 */
export async function judgeProposal(
  { foundation }: GovernanceDeps,
  ctx: CallContext,
  caller: Caller,
  association_id: string,
  proposal: TypedPayload,
  approval_id: string,
): Promise<Admitted> {
  const concerned_member_id = concernedBy(proposal);
  const authorization = await authorizedToPropose(ctx, caller, association_id, proposal, concerned_member_id);
  if (concerned_member_id !== null) activeMember(authorization, concerned_member_id);
  const { type, payload } = proposal;
  // A motion is carried out by nobody: there is nothing that could stand in its way.
  if (type !== 'motion') await call(ctx, membership.checkProposal, { association_id, type, payload });
  if (type === 'closure') {
    const { manager } = foundation.db;
    const pending = await hasPending(manager, association_id, approval_id, foundation.runtime.clock());
    if (pending || (await holdSomething(ctx, association_id, approval_id))) throw problem('association_not_empty');
  }

  const { terms, board } = await call(ctx, membership.board, { association_id });
  const requested_by_member_id = authorization.member.member_id;
  const request = { subject_type: type, requested_by_member_id, concerned_member_id };
  const ids = board.map((member) => member.member_id);
  const requirement = requirementOf(ids, request, terms.rules.approvals[type]);
  if (requirement.by === 'nobody') throw problem('no_eligible_approver');
  return { request, requirement, terms };
}

/** Membership reads a new contribution amount as it reads any: too many decimals are refused before what is in the way. */
async function authorizedToPropose(
  ctx: CallContext,
  caller: Caller,
  association_id: string,
  { type, payload }: TypedPayload,
  concerned_member_id: string | null,
): Promise<Authorization> {
  const amount = type === 'rules_change' ? payload.contribution_amount : undefined;
  try {
    return await authorizeCaller(ctx, caller, association_id, 'propose', {
      ...(concerned_member_id === null ? {} : { member_ids: [concerned_member_id] }),
      ...(amount === undefined ? {} : { amount }),
    });
  } catch (error) {
    throw pointedAtPayload(error);
  }
}

/** A refusal of the amount names the field that holds it in this request. */
function pointedAtPayload(error: unknown): unknown {
  const code = problemCode(error);
  if (code !== 'amount_precision' && code !== 'validation_failed') return error;
  const errors = (problemExtras(error).errors ?? []) as FieldComplaint[];
  const renamed = errors.map((each) =>
    each.pointer === '/amount' ? { ...each, pointer: '/payload/contribution_amount' } : each,
  );
  return problem(code, { ...problemExtras(error), errors: renamed });
}

/**
 * Whether one of the others has something of the association's. Writes nothing. What they have not accepted yet may be
 * refused in a moment, and then nothing was in the way: the closure is judged again when it is carried out.
 */
async function holdSomething(ctx: CallContext, association_id: string, approval_id: string): Promise<boolean> {
  const input = { association_id, approval_id, dry_run: true };
  const found = await Promise.all([
    call(ctx, contribution.lockAssociation, input),
    call(ctx, treasury.lockAssociation, input),
  ]);
  return found.some(({ remains }) => remains === 'something');
}
