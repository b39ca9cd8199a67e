/** Sets and lifts the locks that prevent new requests in other services while something ends (ADR 17). */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Remains } from '../../../lib/contracts/approvals.ts';
import * as contribution from '../../../lib/contracts/contribution.ts';
import * as treasury from '../../../lib/contracts/treasury.ts';
import type { ErrorCode } from '../../../lib/errors/codes.ts';
import { problem } from '../../../lib/errors/problem.ts';
import { call, isServed, type CanCall } from '../../../lib/service/call.ts';
import type { ServiceContext } from '../../../lib/service/service-context.ts';
import { findMemberBindings, releaseBinding } from '../cycles/binding.store.ts';
import type { MembershipTimings } from '../timings.ts';
import type { EndingRow } from './ending.table.ts';

/** The result of locking. */
export interface LockResult {
  /** Why the association or membership may not end; null if it is locked in all services. */
  refusal: ErrorCode | null;
  /** The number of cycles that had ever bound the member when contribution was asked. */
  bindings: number;
}

/**
 * Locks an association in contribution and treasury. While they have undecided requests, waits and asks again.
 * @throws service_unavailable if the requests stay undecided for too long; recovery asks again
 */
export async function lockAssociationElsewhere(
  { runtime }: ServiceContext,
  timings: MembershipTimings,
  via: CanCall,
  closure: EndingRow,
): Promise<LockResult> {
  const began_ms = performance.now();
  for (;;) {
    const remains = await lockBoth(runtime, via, closure);
    if (remains !== 'undecided') {
      return { refusal: remains === 'nothing' ? null : 'association_not_empty', bindings: 0 };
    }
    if (performance.now() - began_ms >= timings.undecided_wait_ms) throw problem('service_unavailable');
    await sleep(timings.undecided_poll_ms);
  }
}

/**
 * Asks contribution and treasury to lock the association, first as a dry run: a closure that is bound to fail, or that
 * waits for undecided requests, then locks nothing and delays no other request.
 */
async function lockBoth(
  runtime: ServiceContext['runtime'],
  via: CanCall,
  { id: approval_id, association_id }: EndingRow,
): Promise<Remains> {
  for (const dry_run of [true, false]) {
    const input = { association_id, approval_id, dry_run };
    const inContribution = await call(via, contribution.lockAssociation, input);
    if (!dry_run) await runtime.reached('membership.ending.contribution_locked');
    if (inContribution.remains !== 'nothing') return inContribution.remains;
    const inTreasury = await call(via, treasury.lockAssociation, input);
    if (inTreasury.remains !== 'nothing') return inTreasury.remains;
  }
  return 'nothing';
}

/**
 * Locks a membership in contribution and treasury, and then asks contribution what the member owes. Arrears do not prevent an
 * expulsion.
 */
export async function lockMembershipElsewhere(
  { db, runtime }: ServiceContext,
  via: CanCall,
  departure: EndingRow,
): Promise<LockResult> {
  const membership = membershipOf(departure);
  const { association_id, member_id } = membership;
  const { open, count } = await findMemberBindings(db, association_id, member_id);
  const locks = await Promise.all([
    hasMembershipLocks(via) ? call(via, contribution.lockMembership, membership) : { locked: true },
    call(via, treasury.lockMembership, membership),
  ]);
  const isLocked = locks.every(({ locked }) => locked);
  // After the lock, so that a fine that is not seen here waits for the decision.
  const owed = await call(via, contribution.obligations, { association_id, member_id, cycle_id: open });
  if (owed.cycle_running || (departure.kind === 'leaving' && owed.has_arrears) || !isLocked) {
    return { refusal: 'member_has_obligations', bindings: count };
  }
  // The cycle has completed, but its event has not arrived yet.
  if (open !== null) await releaseBinding(db, association_id, open, runtime.clock());
  return { refusal: null, bindings: count };
}

/** Lifts the locks in all services. A service without a lock does nothing. */
export async function unlockElsewhere(via: CanCall, ending: EndingRow): Promise<void> {
  if (ending.kind === 'closure') {
    const input = { association_id: ending.association_id, approval_id: ending.id };
    await Promise.all([call(via, contribution.unlockAssociation, input), call(via, treasury.unlockAssociation, input)]);
  } else {
    const membership = membershipOf(ending);
    await Promise.all([
      hasMembershipLocks(via) ? call(via, contribution.unlockMembership, membership) : undefined,
      call(via, treasury.unlockMembership, membership),
    ]);
  }
}

/** Whether contribution locks memberships: processes of 0.1.0, which have no sheets and no fines, do not. */
function hasMembershipLocks(via: CanCall): boolean {
  return isServed(via, contribution.lockMembership) || !isServed(via, contribution.obligations);
}

/** Returns the membership that a departure ends. */
function membershipOf({ id: departure_id, association_id, member_id, tenure }: EndingRow) {
  if (member_id === null || tenure === null) throw new Error(`Ending ${departure_id} is not of a membership`);
  return { departure_id, association_id, member_id, tenure };
}
