import { authorized } from '../../../lib/actions/authorized.ts';
import { call } from '../../../lib/actions/call.ts';
import { answerLocation, implement } from '../../../lib/actions/implement.ts';
import type { CallContext } from '../../../lib/actions/implement.ts';
import type { EndpointInput } from '../../../lib/contracts/action.ts';
import { startCycle } from '../../../lib/contracts/contribution.ts';
import { roster } from '../../../lib/contracts/membership.ts';
import type { Terms } from '../../../lib/contracts/membership.ts';
import { invalid, problem } from '../../../lib/errors/problem.ts';
import type { ContributionDeps } from '../deps.ts';
import { namesEveryHand } from '../domain/rotation.ts';
import type { CycleRow } from '../persistence/cycle.entity.ts';
import { findShownCycle, insertStartingCycle } from '../persistence/cycles.ts';
import { driveCycle, memberOrderMismatch } from '../sagas/cycle-saga.ts';
import { showCycles, showOne } from './show.ts';

type Body = EndpointInput<typeof startCycle>['body'];

/** Starts a rotation: pins members, hands and terms, and makes every meeting. */
export function startCycleAction(deps: ContributionDeps) {
  const { db, runtime } = deps.foundation;
  return implement(startCycle, async ({ path: { association_id }, body }, caller, ctx) => {
    checkOrder(body);
    const { terms } = await authorized(ctx, caller, association_id, 'start_cycle');
    await checkMemberOrder(ctx, association_id, body.member_order);
    if (terms.type !== 'tontine') throw problem('cycle_not_supported');

    const cycle = startingCycle(deps, association_id, body, terms);
    if (!(await insertStartingCycle(db.manager, cycle))) throw problem('cycle_in_progress');
    await runtime.reached('contribution.cycle_stored');

    const outcome = await driveCycle(deps, ctx, cycle);
    if (outcome.kind === 'refused') throw outcome.problem;
    const started = outcome.kind === 'done' ? await findShownCycle(db.manager, association_id, cycle.id) : null;
    // Membership did not answer; the sweeper goes on asking, so the cycle may start yet.
    if (started === null) throw problem('outcome_unknown');
    answerLocation(ctx, `/associations/${association_id}/cycles/${cycle.id}`);
    return showOne(showCycles, db.manager, started);
  });
}

/** What the request alone decides: `manual` needs an order of members, `join` takes none. */
function checkOrder({ order, member_order }: Body): void {
  if (order === 'manual' && member_order === undefined) {
    throw invalid({ pointer: '/member_order', code: 'required', detail: 'The order `manual` needs member_order.' });
  }
  if (order !== 'manual' && member_order !== undefined) {
    throw invalid({ pointer: '/member_order', code: 'not_allowed', detail: 'Only the order `manual` takes this.' });
  }
}

/**
 * Refuses a wrong order before anything is stored, as a 422 comes before the 409s. The members may still change until
 * they are bound, so the saga judges once more.
 */
async function checkMemberOrder(
  ctx: CallContext,
  association_id: string,
  member_order: string[] | undefined,
): Promise<void> {
  if (member_order === undefined) return;
  const { members } = await call(ctx, roster, { association_id });
  if (!namesEveryHand(members, member_order)) throw memberOrderMismatch();
}

function startingCycle(
  { foundation: { runtime } }: ContributionDeps,
  association_id: string,
  body: Body,
  terms: Terms,
): CycleRow {
  const now = runtime.clock();
  return {
    id: runtime.newId(),
    association_id,
    number: null,
    status: 'starting',
    rotation_order: body.order,
    member_order: body.member_order ?? null,
    starts_on: body.starts_on,
    frequency: terms.contribution_frequency,
    currency: terms.currency,
    contribution_amount_minor: BigInt(terms.contribution_amount_minor),
    rules: terms.rules,
    rules_version: terms.rules_version,
    hands_total: null,
    rounds: null,
    created_at: now,
    driven_at: now,
  };
}
