/**
 * The closing of an association (contract, section 3, "closure"): contribution and treasury are empty at one moment, and
 * nothing can come to be in them after.
 *
 * First the association is marked: from there on it takes no changes. Then the two services are asked to seal it, which
 * they do if they hold nothing of it. If both did, it is closed; if not, both seals are undone and the mark is taken
 * away. While one of them has requests that are neither accepted nor refused yet, it is asked again: either the mark
 * refuses them, or they came before it and the closure fails, never both. Each step may be repeated, also by several
 * drivers at once: the row in `closings` says which steps are left.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { EntityManager } from 'typeorm';
import { call } from '../../../lib/actions/call.ts';
import type { CanCall } from '../../../lib/actions/call.ts';
import type { ExecutionOutcome, Remains } from '../../../lib/contracts/approvals.ts';
import * as contribution from '../../../lib/contracts/contribution.ts';
import * as treasury from '../../../lib/contracts/treasury.ts';
import { problem } from '../../../lib/errors/problem.ts';
import { standingOf } from '../domain/association.ts';
import type { AssociationRecord } from '../domain/association.ts';
import { lockAssociation, updateClosing } from '../persistence/associations.ts';
import { closingState, insertClosing, moveClosing } from '../persistence/closings.ts';
import type { Closing } from '../persistence/closings.ts';
import { findOutcome, insertOutcome } from '../persistence/executed-approvals.ts';
import type { SagaDeps } from '../deps.ts';

const DONE: ExecutionOutcome = { status: 'done', error: null };
const NOT_EMPTY: ExecutionOutcome = { status: 'failed', error: 'association_not_empty' };
const CLOSED_BEFORE: ExecutionOutcome = { status: 'failed', error: 'association_closed' };

/** Carries out an approved closure, once for its approval. */
export async function closeAssociation(deps: SagaDeps, via: CanCall, closing: Closing): Promise<ExecutionOutcome> {
  const known = await begin(deps, closing);
  if (known !== null) return known;
  await deps.foundation.runtime.reached('membership.closing_begun');
  return driveClosing(deps, via, closing);
}

/**
 * Whether an approval must wait for a closing to end: until then nobody knows if the association still takes changes.
 * @throws service_unavailable, after which it is told again
 */
export function awaitNoClosing({ status, closing_approval_id }: AssociationRecord): void {
  if (status === 'active' && closing_approval_id !== null) throw problem('service_unavailable');
}

/** Stores the plan and marks the association; the outcome if that is known already. */
function begin({ foundation }: SagaDeps, closing: Closing): Promise<ExecutionOutcome | null> {
  const { approval_id, association_id } = closing;
  return foundation.transaction(async (manager) => {
    const association = await lockAssociation(manager, association_id);
    if (association === null) throw problem('not_found');
    const before = await findOutcome(manager, approval_id);
    if (before !== null) return before;
    if ((await closingState(manager, approval_id)) !== null) return null;
    awaitNoClosing(association);
    const now = foundation.runtime.clock();
    if (standingOf(association) === 'closed') {
      await insertOutcome(manager, closing, CLOSED_BEFORE, now);
      return CLOSED_BEFORE;
    }
    await insertClosing(manager, closing, now);
    await updateClosing(manager, association_id, { closing_approval_id: approval_id });
    return null;
  });
}

/**
 * Takes a begun closing to its end.
 * @throws what a call to contribution or treasury throws; service_unavailable if one of them has not decided for long
 *   what is to be in it. The closing is as it was then, for a sweep to go on with
 */
export async function driveClosing(deps: SagaDeps, via: CanCall, closing: Closing): Promise<ExecutionOutcome> {
  const { db } = deps.foundation;
  let mayHaveSealed = false;
  let waited_ms = 0;
  for (;;) {
    const state = await closingState(db.manager, closing.approval_id);
    if (state === 'sealing') {
      mayHaveSealed = true;
      const remains = await sealBoth(deps, via, closing);
      if (remains === 'undecided') waited_ms += await waitForDecision(deps, waited_ms);
      else await conclude(deps, closing, remains === 'nothing');
    } else if (state === 'unsealing') {
      await unseal(deps, via, closing);
      mayHaveSealed = false;
      await reopen(deps, closing);
    } else {
      // Another driver has reopened it while this one was sealing.
      if (state === 'reopened' && mayHaveSealed) await unseal(deps, via, closing);
      return outcomeOf(db.manager, closing);
    }
  }
}

/**
 * Waits before what was undecided is asked for again.
 * @param waited_ms how long that has been going on
 * @returns how much longer it has now
 * @throws service_unavailable if that is too long already
 */
async function waitForDecision({ timings }: SagaDeps, waited_ms: number): Promise<number> {
  if (waited_ms >= timings.undecided_wait_ms) throw problem('service_unavailable');
  await sleep(timings.undecided_poll_ms);
  return timings.undecided_poll_ms;
}

/** Asks both services to seal the association; `nothing` if both did. */
async function sealBoth(
  { foundation }: SagaDeps,
  via: CanCall,
  { approval_id, association_id }: Closing,
): Promise<Remains> {
  const { runtime } = foundation;
  const input = { association_id, approval_id, dry_run: false };
  const inContribution = await call(via, contribution.seal, input);
  await runtime.reached('membership.contribution_sealed');
  if (inContribution.remains !== 'nothing') return inContribution.remains;
  const inTreasury = await call(via, treasury.seal, input);
  await runtime.reached('membership.treasury_sealed');
  return inTreasury.remains;
}

/** Undoes both seals; neither minds if there is none. */
async function unseal({ foundation }: SagaDeps, via: CanCall, { approval_id, association_id }: Closing): Promise<void> {
  const input = { association_id, approval_id };
  await Promise.all([call(via, contribution.unseal, input), call(via, treasury.unseal, input)]);
  await foundation.runtime.reached('membership.unsealed');
}

/** Closes the association for good, or stores that its seals are to be undone, unless another driver was faster. */
async function conclude({ foundation }: SagaDeps, closing: Closing, isEmpty: boolean): Promise<void> {
  const { approval_id, association_id } = closing;
  const { outbox, runtime } = foundation;
  await foundation.transaction(async (manager) => {
    await lockAssociation(manager, association_id);
    const now = runtime.clock();
    if (!isEmpty) {
      await moveClosing(manager, approval_id, 'sealing', 'unsealing', now);
      return;
    }
    if (!(await moveClosing(manager, approval_id, 'sealing', 'closed', now))) return;
    await updateClosing(manager, association_id, { status: 'closed' });
    await insertOutcome(manager, closing, DONE, now);
    await outbox.append(manager, { type: 'association.closed', association_id, data: { approval_id } });
  });
  await runtime.reached(isEmpty ? 'membership.association_closed' : 'membership.closing_refused');
}

/** Takes the mark away: the closure has failed for good. */
async function reopen({ foundation }: SagaDeps, closing: Closing): Promise<void> {
  const { approval_id, association_id } = closing;
  await foundation.transaction(async (manager) => {
    await lockAssociation(manager, association_id);
    const now = foundation.runtime.clock();
    if (!(await moveClosing(manager, approval_id, 'unsealing', 'reopened', now))) return;
    await updateClosing(manager, association_id, { closing_approval_id: null });
    await insertOutcome(manager, closing, NOT_EMPTY, now);
  });
  await foundation.runtime.reached('membership.association_reopened');
}

async function outcomeOf(manager: EntityManager, { approval_id }: Closing): Promise<ExecutionOutcome> {
  const outcome = await findOutcome(manager, approval_id);
  if (outcome === null) throw new Error(`closing ${approval_id} has ended without an outcome`);
  return outcome;
}
