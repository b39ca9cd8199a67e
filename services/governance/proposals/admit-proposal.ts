import * as contribution from '../../../lib/contracts/contribution.ts';
import type { Caller } from '../../../lib/contracts/action.ts';
import * as membership from '../../../lib/contracts/membership.ts';
import type { Authorization, Terms } from '../../../lib/contracts/membership.ts';
import * as treasury from '../../../lib/contracts/treasury.ts';
import { problem, problemCode, problemExtras, type FieldComplaint } from '../../../lib/errors/problem.ts';
import { activeMember, authorizeCaller } from '../../../lib/service/authorize-caller.ts';
import { call } from '../../../lib/service/call.ts';
import type { CallContext } from '../../../lib/service/implement.ts';
import { requirementOf, type Request, type Requirement } from '../approvals/approval.rules.ts';
import { hasPending } from '../approvals/approval.store.ts';
import type { GovernanceDeps } from '../deps.ts';
import { concernedMember, type ProposalType, type TypedPayload } from './proposal.rules.ts';

/** A proposal that may be made. */
export interface Admitted {
  request: Request & { subject_type: ProposalType };
  requirement: Exclude<Requirement, { by: 'no_one' }>;
  terms: Terms;
}

/**
 * Checks that the caller may make this proposal here, and that it could be executed as things stand.
 * @param approval_id the id that its approval will have
 * @throws the first refusal in the contract's order
 */
export async function admitProposal(
  deps: GovernanceDeps,
  ctx: CallContext,
  caller: Caller,
  association_id: string,
  proposal: TypedPayload,
  approval_id: string,
): Promise<Admitted> {
  const concerned_member_id = concernedMember(proposal);
  const authorization = await authorizeToPropose(ctx, caller, association_id, proposal, concerned_member_id);
  if (concerned_member_id !== null) activeMember(authorization, concerned_member_id);
  const { type, payload } = proposal;
  // A motion is not executed: nothing could stand in its way.
  if (type !== 'motion') await call(ctx, membership.checkProposal, { association_id, type, payload });
  if (type === 'closure') await requireEmpty(deps, ctx, association_id, approval_id);

  const { terms, board } = await call(ctx, membership.board, { association_id });
  const requested_by_member_id = authorization.member.member_id;
  const request = { subject_type: type, requested_by_member_id, concerned_member_id };
  const ids = board.map((member) => member.member_id);
  const requirement = requirementOf(ids, request, terms.rules.approvals[type]);
  if (requirement.by === 'no_one') throw problem('no_eligible_approver');
  return { request, requirement, terms };
}

/** Membership reads a new contribution amount as it reads any: too many decimals are refused before other conflicts. */
async function authorizeToPropose(
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
    throw withPointerToPayload(error);
  }
}

/** A refusal of the amount names the field that holds it in this request. */
function withPointerToPayload(error: unknown): unknown {
  const code = problemCode(error);
  if (code !== 'amount_precision' && code !== 'validation_failed') return error;
  const errors = (problemExtras(error).errors ?? []) as FieldComplaint[];
  const renamed = errors.map((each) =>
    each.pointer === '/amount' ? { ...each, pointer: '/payload/contribution_amount' } : each,
  );
  return problem(code, { ...problemExtras(error), errors: renamed });
}

/**
 * Looks whether the association can be closed. What the others have not accepted yet may be refused in a moment, and then
 * nothing was in the way: the closure is judged again when it is executed.
 * @throws association_not_empty
 */
async function requireEmpty(
  { db, runtime }: GovernanceDeps,
  ctx: CallContext,
  association_id: string,
  approval_id: string,
): Promise<void> {
  const input = { association_id, approval_id, dry_run: true };
  const isPending = await hasPending(db, association_id, approval_id, runtime.clock());
  const found = isPending
    ? []
    : await Promise.all([call(ctx, contribution.lockAssociation, input), call(ctx, treasury.lockAssociation, input)]);
  if (isPending || found.some(({ remains }) => remains === 'something')) throw problem('association_not_empty');
}
