import type { Caller, EndpointInput } from '../../../lib/contracts/action.ts';
import { startCycle } from '../../../lib/contracts/contribution.ts';
import { roster, zoneOf, type Terms } from '../../../lib/contracts/membership.ts';
import type { Transaction } from '../../../lib/db/db.ts';
import { problem } from '../../../lib/errors/problem.ts';
import type { Operation } from '../../../lib/idempotency/operation.ts';
import { areLocked, storeWhenUnlocked } from '../../../lib/locks/locks.ts';
import { authorizeCaller } from '../../../lib/service/authorize-caller.ts';
import { call } from '../../../lib/service/call.ts';
import { answerLocation, type CallContext } from '../../../lib/service/implement.ts';
import { implementSaga } from '../../../lib/service/implement-saga.ts';
import type { ContributionDeps } from '../deps.ts';
import { checkOrder, checkOrderOfType, memberOrderMismatch } from './cycle.rules.ts';
import { findShownCycle, insertStartingCycle } from './cycle.store.ts';
import type { CycleRow } from './cycle.table.ts';
import { showCycle } from './cycle.view.ts';
import { coversEveryHand } from './rotation.rules.ts';

type Body = EndpointInput<typeof startCycle>['body'];

/** Starts a cycle: fixes its members, hands and terms as they are now, and schedules all rounds. */
export function startCycleAction(deps: ContributionDeps) {
  return implementSaga(deps, startCycle, {
    saga: deps.cycles,
    check: ({ body }) => {
      checkOrder(body);
    },
    async begin({ path: { association_id }, body }, caller, ctx, operation) {
      const { terms } = await authorizeCaller(ctx, caller, association_id, 'start_cycle');
      if (terms.type === 'solidarity') throw problem('cycle_not_supported');
      checkOrderOfType(terms.type, body);
      await checkMemberOrder(ctx, association_id, body.member_order);
      return storeStart(deps, ctx, caller, operation, newCycle(operation.id, body, terms, deps.runtime.clock()));
    },
    refusalOf: ({ refusal }) => refusal,
    async answer({ id, association_id }, ctx, db) {
      answerLocation(ctx, `/associations/${association_id}/cycles/${id}`);
      const found = await findShownCycle(db, association_id, id);
      if (found === undefined) throw new Error(`Cycle ${id} is running, but was not found`);
      return showCycle(found.row, found.hands);
    },
    isAnsweredEarly: false,
  });
}

/**
 * Refuses a wrong order before anything is stored, as 422 precedes 409 in the order of refusals. The members may still
 * change until they are bound, so the saga checks again.
 */
async function checkMemberOrder(
  ctx: CallContext,
  association_id: string,
  member_order: string[] | undefined,
): Promise<void> {
  if (member_order === undefined) return;
  const { members } = await call(ctx, roster, { association_id });
  if (!coversEveryHand(members, member_order)) throw memberOrderMismatch();
}

/** Stores the cycle in its first state, after which no other cycle of the association can start. */
async function storeStart(
  { db, timings, cycles }: ContributionDeps,
  ctx: CallContext,
  caller: Caller,
  { hold }: Operation,
  row: CycleRow,
): Promise<CycleRow> {
  const { id, association_id } = row;
  const gate = {
    isLocked: (tx: Transaction) => areLocked(tx, association_id),
    checkStillAllowed: () => authorizeCaller(ctx, caller, association_id, 'start_cycle'),
    wait_ms: timings.lock_wait_ms,
  };
  const store = async (tx: Transaction) => {
    await hold(tx);
    return insertStartingCycle(tx, row);
  };
  if (await storeWhenUnlocked(db, gate, store)) return row;
  // A repeat of this request may have stored this cycle, if it considered the first attempt dead.
  const stored = await cycles.find(id);
  if (stored === undefined) throw problem('cycle_in_progress');
  return stored;
}

function newCycle(id: string, body: Body, terms: Terms, now: Date): CycleRow {
  return {
    id,
    association_id: terms.association_id,
    number: null,
    status: 'starting',
    rotation_order: body.order ?? null,
    member_order: body.member_order ?? null,
    starts_on: body.starts_on,
    frequency: terms.contribution_frequency,
    time_zone: zoneOf(terms),
    currency: terms.currency,
    contribution_amount_minor: BigInt(terms.contribution_amount_minor),
    rules: terms.rules,
    rules_version: terms.rules_version,
    hands_total: null,
    rounds: body.rounds ?? null,
    seed: null,
    refusal: null,
    created_at: now,
    last_attempt_at: now,
  };
}
