import type { EntityManager } from 'typeorm';
import { authorizeCaller } from '../../../lib/service/authorize-caller.ts';
import { call } from '../../../lib/service/call.ts';
import { implementWrite } from '../../../lib/service/implement-write.ts';
import { answerLocation } from '../../../lib/service/implement.ts';
import type { CallContext } from '../../../lib/service/implement.ts';
import type { Caller, EndpointInput } from '../../../lib/contracts/action.ts';
import { startCycle } from '../../../lib/contracts/contribution.ts';
import type { Cycle } from '../../../lib/contracts/contribution.ts';
import { roster } from '../../../lib/contracts/membership.ts';
import type { Terms } from '../../../lib/contracts/membership.ts';
import { problem } from '../../../lib/errors/problem.ts';
import type { Operation } from '../../../lib/idempotency/operation.ts';
import { areLocked, storeUnlocked } from '../../../lib/locks/locks.ts';
import type { ContributionDeps } from '../deps.ts';
import { namesEveryHand } from './rotation.rules.ts';
import type { CycleRow } from './cycle.table.ts';
import { findCycle, findShownCycle, insertStartingCycle } from './cycle.store.ts';
import { driveCycle, memberOrderMismatch } from './cycle.saga.ts';
import { checkOrder, checkOrderOfType } from './cycle.rules.ts';
import { showCycle } from '../meetings/meeting.view.ts';

type Body = EndpointInput<typeof startCycle>['body'];

/** Starts a cycle: pins members, hands and terms, draws if asked to, and makes every meeting. */
export function startCycleAction(deps: ContributionDeps) {
  const { db } = deps.foundation;
  return implementWrite(
    deps.foundation,
    startCycle,
    async ({ path: { association_id }, body }, caller, ctx, operation) => {
      const { terms } = await authorizeCaller(ctx, caller, association_id, 'start_cycle');
      // What is there already was judged when it was stored; since then it may have changed who is in what order.
      const begun = operation.resumed ? await findCycle(db.manager, operation.id) : null;
      const cycle = begun ?? (await storeStart(deps, ctx, caller, body, terms, operation.id));
      answerLocation(ctx, `/associations/${association_id}/cycles/${cycle.id}`);
      return start(deps, ctx, cycle, operation);
    },
    ({ body }) => {
      checkOrder(body);
    },
  );
}

/** Stores that the cycle is to start: from then on no other cycle of the association can. */
async function storeStart(
  { foundation, timings }: ContributionDeps,
  ctx: CallContext,
  caller: Caller,
  body: Body,
  terms: Terms,
  id: string,
): Promise<CycleRow> {
  const { type, association_id } = terms;
  if (type === 'solidarity') throw problem('cycle_not_supported');
  checkOrderOfType(type, body);
  await checkMemberOrder(ctx, association_id, body.member_order);
  const row = startingCycle(id, association_id, body, terms, foundation.runtime.clock());
  const gate = {
    isLocked: (manager: EntityManager) => areLocked(manager, association_id),
    stillAllowed: () => authorizeCaller(ctx, caller, association_id, 'start_cycle'),
    wait_ms: timings.lock_wait_ms,
  };
  const stored = await storeUnlocked(foundation, gate, (manager) => insertStartingCycle(manager, row));
  await foundation.runtime.reached('contribution.cycle_stored');
  // A request that took this one for dead may have stored the very cycle.
  const cycle = stored ? row : await findCycle(foundation.db.manager, id);
  if (cycle === null) throw problem('cycle_in_progress');
  return cycle;
}

/** Drives the start to its end; the answer is kept in the transaction in which the cycle begins to run. */
async function start(deps: ContributionDeps, ctx: CallContext, cycle: CycleRow, operation: Operation): Promise<Cycle> {
  let answer: Cycle | undefined;
  const outcome = await driveCycle(deps, ctx, cycle, async (manager) => {
    answer = await shownCycle(manager, cycle);
    await operation.answered(manager, answer);
  });
  if (outcome.kind === 'refused') throw outcome.problem;
  // Another driver may have started it, or an earlier request of the same operation.
  answer ??= await shownCycle(deps.foundation.db.manager, cycle);
  // Membership did not answer; the sweeper goes on asking, so the cycle may start yet.
  if (answer === undefined) throw problem('outcome_unknown');
  return answer;
}

async function shownCycle(manager: EntityManager, { association_id, id }: CycleRow): Promise<Cycle | undefined> {
  const row = await findShownCycle(manager, association_id, id);
  return row === null ? undefined : showCycle(manager, row);
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

function startingCycle(id: string, association_id: string, body: Body, terms: Terms, now: Date): CycleRow {
  return {
    id,
    association_id,
    number: null,
    status: 'starting',
    rotation_order: body.order ?? null,
    member_order: body.member_order ?? null,
    starts_on: body.starts_on,
    frequency: terms.contribution_frequency,
    currency: terms.currency,
    contribution_amount_minor: BigInt(terms.contribution_amount_minor),
    rules: terms.rules,
    rules_version: terms.rules_version,
    hands_total: null,
    rounds: body.rounds ?? null,
    seed: null,
    refusal: null,
    created_at: now,
    driven_at: now,
  };
}
