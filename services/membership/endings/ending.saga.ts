/**
 * The end of an association (contract, section 3, "closure") or of a membership (leaving, expulsion): what other
 * services would have to hold for it to go on is not there at one moment, and cannot come to be after (ADR 17). Each step
 * may be repeated, also by several drivers at once: the row in `endings` says which steps are left.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { EntityManager } from 'typeorm';
import { call } from '../../../lib/service/call.ts';
import type { CanCall } from '../../../lib/service/call.ts';
import type { ExecutionOutcome, Remains } from '../../../lib/contracts/approvals.ts';
import * as contribution from '../../../lib/contracts/contribution.ts';
import * as treasury from '../../../lib/contracts/treasury.ts';
import type { ErrorCode } from '../../../lib/errors/codes.ts';
import { problem } from '../../../lib/errors/problem.ts';
import type { AssociationRecord } from '../associations/association.table.ts';
import { departureRefusal } from '../domain/departure.ts';
import type { MemberRecord } from '../members/member.table.ts';
import { closeAssociation, countMembers, lockAssociation } from '../associations/association.store.ts';
import { bindingsOf, releaseBinding } from '../cycles/binding.store.ts';
import { endingState, findEnding, insertEnding, moveEnding } from './ending.store.ts';
import type { Closure, Departure, Ending } from './ending.store.ts';
import { findOutcome, insertOutcome } from '../persistence/executed-approvals.ts';
import { lockMemberById, updateMember } from '../members/member.store.ts';
import type { SagaDeps } from '../deps.ts';

const DONE: ExecutionOutcome = { status: 'done', error: null };

/** What is to end: its tenure is known once it is stored. */
export type Wanted = Omit<Closure, 'tenure'> | Omit<Departure, 'tenure'>;

/** What the locks have shown. */
interface Finding {
  /** Why it may not end; null: it is locked everywhere. */
  refusal: ErrorCode | null;
  /** How many cycles had ever bound the member when contribution was asked about them. */
  bindings: number;
}

/** What else is stored in the transaction that ends it. */
type AlsoStore = (manager: EntityManager) => Promise<void>;
const NOTHING_ELSE: AlsoStore = () => Promise.resolve();

/** Ends what is wanted, once for its id. @throws what driveEnding() throws */
export async function end(
  deps: SagaDeps,
  via: CanCall,
  wanted: Wanted,
  alsoStore: AlsoStore = NOTHING_ELSE,
): Promise<ExecutionOutcome> {
  for (;;) {
    const begun = await begin(deps, wanted);
    if ('status' in begun) return begun;
    await deps.foundation.runtime.reached('membership.ending_begun');
    if (begun.id === wanted.id) return driveEnding(deps, via, begun, alsoStore);
    // Another ending of the same is under way: how that goes decides whether there is anything left to end.
    await driveEnding(deps, via, begun);
  }
}

/** Stores the plan, unless there is one; the outcome if that is known already. */
function begin({ foundation }: SagaDeps, wanted: Wanted): Promise<Ending | ExecutionOutcome> {
  const { id, association_id, kind } = wanted;
  return foundation.transaction(async (manager) => {
    const association = await lockAssociation(manager, association_id);
    if (association === null) throw problem('not_found');
    const before = kind === 'leaving' ? null : await findOutcome(manager, id);
    const begun = before ?? (await findEnding(manager, wanted));
    if (begun !== null) return begun;
    const member = kind === 'closure' ? null : await lockMemberById(manager, association_id, wanted.member_id);
    const refusal = refusalOf(wanted, association, member, false);
    const now = foundation.runtime.clock();
    if (refusal !== null) {
      const outcome: ExecutionOutcome = { status: 'failed', error: refusal };
      if (kind !== 'leaving') await insertOutcome(manager, { approval_id: id, association_id }, outcome, now);
      return outcome;
    }
    const ending = { ...wanted, tenure: member?.tenure ?? null } as Ending;
    await insertEnding(manager, ending, now);
    return ending;
  });
}

/** Why it may not end, as far as membership alone can tell, under the lock on the association. */
function refusalOf(
  { kind }: Pick<Ending, 'kind'>,
  { status }: AssociationRecord,
  member: MemberRecord | null,
  isBound: boolean,
): ErrorCode | null {
  if (status === 'closed') return 'association_closed';
  return kind === 'closure' ? null : departureRefusal(member, isBound);
}

/**
 * Takes a begun ending to its end.
 * @throws what a call to contribution or treasury throws; service_unavailable if one of them has not decided for long
 *   what is to be in it. The ending is as it was then, for a sweep to go on with
 */
export async function driveEnding(
  deps: SagaDeps,
  via: CanCall,
  ending: Ending,
  alsoStore = NOTHING_ELSE,
): Promise<ExecutionOutcome> {
  const { manager } = deps.foundation.db;
  let mayHaveLocked = false;
  let undecidedSince_ms: number | undefined;
  for (;;) {
    const reached = await endingState(manager, ending.id);
    if (reached === null) throw new Error(`the ending ${ending.id} is not stored`);
    if (reached.state === 'locking') {
      mayHaveLocked = true;
      const finding = await (ending.kind === 'closure' ? lockBoth(deps, via, ending) : lockHeld(deps, via, ending));
      if (finding === 'undecided') await waitForDecision(deps, (undecidedSince_ms ??= performance.now()));
      else await conclude(deps, ending, finding, alsoStore);
    } else if (reached.state === 'unlocking') {
      await unlock(deps, via, ending);
      mayHaveLocked = false;
      await refuse(deps, ending, reached.refusal);
    } else {
      // Another driver has undone it while this one was locking.
      if (reached.state === 'refused' && mayHaveLocked) await unlock(deps, via, ending);
      return reached.state === 'done' ? DONE : { status: 'failed', error: reached.refusal };
    }
  }
}

/**
 * Waits before what is undecided is asked for again.
 * @throws service_unavailable if it has been undecided for too long
 */
async function waitForDecision({ timings }: SagaDeps, since_ms: number): Promise<void> {
  if (performance.now() - since_ms >= timings.undecided_wait_ms) throw problem('service_unavailable');
  await sleep(timings.undecided_poll_ms);
}

/**
 * Asks contribution and treasury to lock the association. They are asked first whether they would: a closure that is
 * bound to fail locks nothing, and one that waits for what they have not decided keeps no other request waiting.
 */
async function lockBoth(deps: SagaDeps, via: CanCall, closure: Closure): Promise<Finding | 'undecided'> {
  for (const dry_run of [true, false]) {
    const remains = await askBoth(deps, via, closure, dry_run);
    if (remains === 'undecided') return remains;
    if (remains === 'something') return { refusal: 'association_not_empty', bindings: 0 };
  }
  return { refusal: null, bindings: 0 };
}

async function askBoth(
  { foundation: { runtime } }: SagaDeps,
  via: CanCall,
  { id: approval_id, association_id }: Closure,
  dry_run: boolean,
): Promise<Remains> {
  const input = { association_id, approval_id, dry_run };
  const inContribution = await call(via, contribution.lockAssociation, input);
  if (!dry_run) await runtime.reached('membership.contribution_locked');
  if (inContribution.remains !== 'nothing') return inContribution.remains;
  const inTreasury = await call(via, treasury.lockAssociation, input);
  if (!dry_run) await runtime.reached('membership.treasury_locked');
  return inTreasury.remains;
}

/** Has the treasury lock the membership, and asks contribution what the member owes. Arrears do not keep out who is expelled. */
async function lockHeld({ foundation }: SagaDeps, via: CanCall, departure: Departure): Promise<Finding> {
  const { db, runtime } = foundation;
  const { id: departure_id, association_id, kind, member_id, tenure } = departure;
  const { open, count } = await bindingsOf(db.manager, association_id, member_id);
  const [owed, { locked }] = await Promise.all([
    call(via, contribution.obligations, { association_id, member_id, cycle_id: open }),
    call(via, treasury.lockMembership, { association_id, member_id, tenure, departure_id }),
  ]);
  await runtime.reached('membership.treasury_locked');
  if (owed.cycle_running || (kind === 'leaving' && owed.has_arrears) || !locked) {
    return { refusal: 'member_has_obligations', bindings: count };
  }
  // The cycle has completed; the event that says so is still on its way.
  if (open !== null) await releaseBinding(db.manager, association_id, open, runtime.clock());
  return { refusal: null, bindings: count };
}

/** Undoes all locks; no service minds if there is none. */
async function unlock({ foundation }: SagaDeps, via: CanCall, ending: Ending): Promise<void> {
  const { id, association_id } = ending;
  if (ending.kind === 'closure') {
    const input = { association_id, approval_id: id };
    await Promise.all([call(via, contribution.unlockAssociation, input), call(via, treasury.unlockAssociation, input)]);
  } else {
    const { member_id, tenure } = ending;
    await call(via, treasury.unlockMembership, { association_id, member_id, tenure, departure_id: id });
  }
  await foundation.runtime.reached('membership.unlocked');
}

/** Ends it for good, or stores that its locks are to be lifted, unless another driver was faster. */
async function conclude(
  { foundation }: SagaDeps,
  ending: Ending,
  finding: Finding,
  alsoStore: AlsoStore,
): Promise<void> {
  const { id, association_id, kind, member_id } = ending;
  const { runtime } = foundation;
  const refused = await foundation.transaction(async (manager) => {
    const association = await lockAssociation(manager, association_id);
    if (association === null) throw problem('not_found');
    const member = member_id === null ? null : await lockMemberById(manager, association_id, member_id);
    const refusal =
      finding.refusal ?? refusalOf(ending, association, member, await isBoundSince(manager, ending, finding));
    const now = runtime.clock();
    if (refusal !== null) {
      await moveEnding(manager, id, 'locking', 'unlocking', now, refusal);
      return true;
    }
    if (!(await moveEnding(manager, id, 'locking', 'done', now))) return false;
    if (kind !== 'leaving') await insertOutcome(manager, { approval_id: id, association_id }, DONE, now);
    await (member === null ? close(foundation, manager, ending) : depart(foundation, manager, ending, member));
    await alsoStore(manager);
    return false;
  });
  await runtime.reached(refused ? 'membership.ending_refused' : 'membership.ending_done');
}

/** Whether a cycle binds the member, or has begun since contribution was asked: it may have left arrears. */
async function isBoundSince(manager: EntityManager, ending: Ending, { bindings }: Finding): Promise<boolean> {
  if (ending.kind === 'closure') return false;
  const { open, count } = await bindingsOf(manager, ending.association_id, ending.member_id);
  return open !== null || count !== bindings;
}

async function close({ outbox }: SagaDeps['foundation'], manager: EntityManager, ending: Ending): Promise<void> {
  const { id: approval_id, association_id } = ending;
  await closeAssociation(manager, association_id);
  await outbox.append(manager, { type: 'association.closed', association_id, data: { approval_id } });
}

async function depart(
  { outbox }: SagaDeps['foundation'],
  manager: EntityManager,
  { id, association_id, kind }: Ending,
  { id: member_id, user_id, tenure }: MemberRecord,
): Promise<void> {
  const data = { member_id, user_id };
  await updateMember(manager, member_id, { status: kind === 'leaving' ? 'left' : 'expelled', tenure: tenure + 1 });
  await countMembers(manager, association_id, -1);
  await outbox.append(
    manager,
    kind === 'leaving'
      ? { type: 'member.left', association_id, data }
      : { type: 'member.expelled', association_id, data: { ...data, approval_id: id } },
  );
}

/** Stores that it has failed for good. */
async function refuse({ foundation }: SagaDeps, ending: Ending, refusal: ErrorCode | null): Promise<void> {
  const { id, association_id, kind } = ending;
  await foundation.transaction(async (manager) => {
    await lockAssociation(manager, association_id);
    const now = foundation.runtime.clock();
    if (!(await moveEnding(manager, id, 'unlocking', 'refused', now)) || kind === 'leaving') return;
    await insertOutcome(manager, { approval_id: id, association_id }, { status: 'failed', error: refusal }, now);
  });
  await foundation.runtime.reached('membership.ending_undone');
}
