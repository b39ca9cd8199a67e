import type { Caller } from '../../../lib/contracts/action.ts';
import type { ProposalType } from '../../../lib/contracts/approvals.ts';
import * as contribution from '../../../lib/contracts/contribution.ts';
import * as membership from '../../../lib/contracts/membership.ts';
import type { Authorization, Terms } from '../../../lib/contracts/membership.ts';
import * as treasury from '../../../lib/contracts/treasury.ts';
import { problem, problemCode, problemExtras, type FieldComplaint } from '../../../lib/errors/problem.ts';
import { activeMember, authorizeCaller } from '../../../lib/service/authorize-caller.ts';
import { call } from '../../../lib/service/call.ts';
import type { CallContext } from '../../../lib/service/implement.ts';
import type { ApprovalRequest } from '../approvals/approval.rules.ts';
import { hasUndecided } from '../approvals/approval.store.ts';
import { readRequirement } from '../approvals/check-eligibility.ts';
import type { GovernanceDeps } from '../deps.ts';
import { concernedMember, type TypedPayload } from './proposal.rules.ts';

/** A proposal that may be made. */
export interface Admitted {
  request: ApprovalRequest & { subject_type: ProposalType };
  /** 0 if the proposal is approved without a vote. */
  required_approvals: number;
  terms: Terms;
}

/**
 * Checks that the caller may make this proposal, and that it could be executed now.
 * @param approval_id the id that its approval will have
 * @throws the first refusal that applies, in the order of docs/architecture.md
 */
export async function admitProposal(
  deps: GovernanceDeps,
  ctx: CallContext,
  caller: Caller,
  association_id: string,
  proposal: TypedPayload,
  approval_id: string,
): Promise<Admitted> {
  const named_member_id = concernedMember(proposal);
  const authorization = await authorizeToPropose(ctx, caller, association_id, proposal, named_member_id);
  if (named_member_id !== null) activeMember(authorization, named_member_id);
  const { type, payload } = proposal;
  const concerned_member_id =
    type === 'fine_waiver'
      ? (await call(ctx, contribution.checkFine, { association_id, fine_id: payload.fine_id })).member_id
      : named_member_id;
  // A motion is not executed, so nothing can prevent its execution. A fine is checked above.
  if (type !== 'motion' && type !== 'fine_waiver')
    await call(ctx, membership.checkProposal, { association_id, type, payload });
  if (type === 'closure') await requireEmpty(deps, ctx, association_id, approval_id);

  const requested_by_member_id = authorization.member.member_id;
  const request = { subject_type: type, requested_by_member_id, concerned_member_id };
  return { request, ...(await readRequirement(ctx, association_id, request)) };
}

/** Checks the caller's role. Membership also checks the precision of a new contribution amount, before other conflicts. */
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

/** Returns the error; in a refusal of the amount, the pointer names the field of this request. */
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
 * Checks in all services that the association can be closed. Requests that they have not accepted yet (`undecided`) do not
 * count, as they may be refused. Everything is checked again when the closure is executed.
 * @throws association_not_empty
 */
async function requireEmpty(
  { db, runtime }: GovernanceDeps,
  ctx: CallContext,
  association_id: string,
  approval_id: string,
): Promise<void> {
  const input = { association_id, approval_id, dry_run: true };
  if (await hasUndecided(db, association_id, approval_id, runtime.clock())) throw problem('association_not_empty');
  const found = await Promise.all([
    call(ctx, contribution.lockAssociation, input),
    call(ctx, treasury.lockAssociation, input),
  ]);
  if (found.some(({ remains }) => remains === 'something')) throw problem('association_not_empty');
}
