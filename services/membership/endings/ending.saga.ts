/**
 * The end of an association (contract, section 3, "closure") or of a membership (leaving, expulsion): what other
 * services would have to hold for it to go on is not there at one moment, and cannot come to be after (ADR 17).
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { ExecutionOutcome, Remains } from '../../../lib/contracts/approvals.ts';
import * as contribution from '../../../lib/contracts/contribution.ts';
import * as treasury from '../../../lib/contracts/treasury.ts';
import type { Transaction } from '../../../lib/db/db.ts';
import type { ErrorCode } from '../../../lib/errors/codes.ts';
import { problem } from '../../../lib/errors/problem.ts';
import { createSaga } from '../../../lib/saga/saga.ts';
import type { Attempt, Saga } from '../../../lib/saga/saga.ts';
import type { SagaTimings } from '../../../lib/saga/timings.ts';
import { call } from '../../../lib/service/call.ts';
import type { CanCall } from '../../../lib/service/call.ts';
import type { ServiceContext } from '../../../lib/service/service-context.ts';
import { countMembers, lockAssociation } from '../associations/association.store.ts';
import { associations } from '../associations/association.table.ts';
import type { AssociationRow } from '../associations/association.table.ts';
import { findMemberBindings, releaseBinding } from '../cycles/binding.store.ts';
import { departureRefusal } from '../members/member.rules.ts';
import { lockMemberById } from '../members/member.store.ts';
import { members } from '../members/member.table.ts';
import type { MemberRow } from '../members/member.table.ts';
import { findEnding, findOutcome, insertOutcome } from './ending.store.ts';
import { ENDING_STATES, endings } from './ending.table.ts';
import type { EndingRow, EndingStatus } from './ending.table.ts';

const DONE: ExecutionOutcome = { status: 'done', error: null };

export interface EndingTimings extends SagaTimings {
  /** How long, and how often, an ending asks for requests that are being decided just now, before recovery goes on. */
  undecided_wait_ms: number;
  undecided_poll_ms: number;
}

export type EndingSaga = Saga<EndingStatus, EndingRow>;

interface SagaDeps extends ServiceContext {
  timings: EndingTimings;
}
interface EndingDeps extends SagaDeps {
  endings: EndingSaga;
}

/** What is to end. */
type Wanted = Pick<EndingRow, 'id' | 'association_id' | 'kind' | 'member_id'>;

/** What the locks have shown. */
interface Finding {
  /** Why it may not end; null: it is locked everywhere. */
  refusal: ErrorCode | null;
  /** How many cycles had ever bound the member when contribution was asked about them. */
  bindings: number;
}

export function createEndingSaga(deps: SagaDeps): EndingSaga {
  const saga: EndingSaga = createSaga(deps, deps.timings, {
    name: 'ending',
    table: endings,
    states: ENDING_STATES,
    steps: {
      async locking(ending, attempt) {
        const finding = await (ending.kind === 'closure' ? lockBoth : lockMembership)(deps, attempt.via, ending);
        return { commit: () => conclude(deps, saga, ending, finding, attempt) };
      },
      async unlocking(ending, { via }) {
        await unlock(via, ending);
        const outcome: ExecutionOutcome = { status: 'failed', error: ending.refusal };
        return { to: 'refused', also: (tx) => storeOutcome(deps, tx, ending, outcome) };
      },
    },
  });
  return saga;
}

/** Ends what an approval asks for, once for its id. @throws what the saga throws */
export async function end(deps: EndingDeps, via: CanCall, wanted: Wanted): Promise<ExecutionOutcome> {
  const begun = await beginEnding(deps, via, wanted);
  if ('outcome' in begun) return begun.outcome;
  const { status, refusal } = await deps.endings.run(begun.ending, { via, isRecovery: false });
  return status === 'done' ? DONE : { status: 'failed', error: refusal };
}

/** Stores the ending, unless it was stored before; the outcome if that is known already. */
export async function beginEnding(
  deps: EndingDeps,
  via: CanCall,
  wanted: Wanted,
): Promise<{ ending: EndingRow } | { outcome: ExecutionOutcome }> {
  for (;;) {
    const begun = await deps.db.transaction((tx) => beginWithin(deps, tx, wanted));
    if ('outcome' in begun || begun.ending.id === wanted.id) return begun;
    // Another ending of the same is under way: how that goes decides whether there is anything left to end.
    await deps.endings.run(begun.ending, { via, isRecovery: false });
  }
}

/** The same, or another ending of the association or membership that is under way. */
async function beginWithin(
  deps: SagaDeps,
  tx: Transaction,
  wanted: Wanted,
): Promise<{ ending: EndingRow } | { outcome: ExecutionOutcome }> {
  const { id, association_id, kind, member_id } = wanted;
  const association = await lockAssociation(tx, association_id);
  const before = kind === 'leaving' ? null : await findOutcome(tx, id);
  if (before !== null) return { outcome: before };
  const found = await findEnding(tx, wanted);
  if (found !== undefined) return { ending: found };
  const member = member_id === null ? undefined : await lockMemberById(tx, association_id, member_id);
  const refusal = endingRefusal(wanted, association, member, false);
  if (refusal !== null) {
    const outcome: ExecutionOutcome = { status: 'failed', error: refusal };
    await storeOutcome(deps, tx, wanted, outcome);
    return { outcome };
  }
  const last_attempt_at = deps.runtime.clock();
  const ending: EndingRow = {
    ...wanted,
    tenure: member?.tenure ?? null,
    status: 'locking',
    refusal: null,
    last_attempt_at,
  };
  await tx.orm.insert(endings, ending);
  return { ending };
}

/** Why it may not end, by what membership alone knows, under the lock on the association. */
function endingRefusal(
  { kind }: Pick<EndingRow, 'kind'>,
  { status }: AssociationRow,
  member: MemberRow | undefined,
  isBound: boolean,
): ErrorCode | null {
  if (status === 'closed') return 'association_closed';
  return kind === 'closure' ? null : departureRefusal(member, isBound);
}

/**
 * Locks the association in both services. What they have not decided yet is waited for, and asked for again.
 * @throws service_unavailable if it is not decided for long: recovery asks again
 */
async function lockBoth({ runtime, timings }: SagaDeps, via: CanCall, closure: EndingRow): Promise<Finding> {
  const began_ms = performance.now();
  for (;;) {
    const remains = await askBoth(runtime, via, closure);
    if (remains !== 'undecided') {
      return { refusal: remains === 'nothing' ? null : 'association_not_empty', bindings: 0 };
    }
    if (performance.now() - began_ms >= timings.undecided_wait_ms) throw problem('service_unavailable');
    await sleep(timings.undecided_poll_ms);
  }
}

/**
 * Asks contribution and treasury to lock the association. They are asked first whether they would: a closure that is
 * bound to fail locks nothing, and one that waits for what they have not decided keeps no other request waiting.
 */
async function askBoth(
  runtime: SagaDeps['runtime'],
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

/** The membership that a departure ends. */
function membershipOf({ id: departure_id, association_id, member_id, tenure }: EndingRow) {
  if (member_id === null || tenure === null) throw new Error(`${departure_id} ends no membership`);
  return { departure_id, association_id, member_id, tenure };
}

/** Locks the membership in the treasury, and asks contribution what the member owes. Arrears do not prevent an expulsion. */
async function lockMembership({ db, runtime }: SagaDeps, via: CanCall, departure: EndingRow): Promise<Finding> {
  const membership = membershipOf(departure);
  const { association_id, member_id } = membership;
  const { open, count } = await findMemberBindings(db, association_id, member_id);
  const [owed, { locked }] = await Promise.all([
    call(via, contribution.obligations, { association_id, member_id, cycle_id: open }),
    call(via, treasury.lockMembership, membership),
  ]);
  if (owed.cycle_running || (departure.kind === 'leaving' && owed.has_arrears) || !locked) {
    return { refusal: 'member_has_obligations', bindings: count };
  }
  // The cycle has completed; the event that says so is still on its way.
  if (open !== null) await releaseBinding(db, association_id, open, runtime.clock());
  return { refusal: null, bindings: count };
}

/** Lifts all locks; a service without one does nothing. */
async function unlock(via: CanCall, ending: EndingRow): Promise<void> {
  if (ending.kind === 'closure') {
    const input = { association_id: ending.association_id, approval_id: ending.id };
    await Promise.all([call(via, contribution.unlockAssociation, input), call(via, treasury.unlockAssociation, input)]);
  } else {
    await call(via, treasury.unlockMembership, membershipOf(ending));
  }
}

/** Ends it for good, or stores that its locks are to be lifted; undefined if another attempt was faster. */
async function conclude(
  deps: SagaDeps,
  saga: EndingSaga,
  ending: EndingRow,
  finding: Finding,
  attempt: Attempt<EndingRow>,
): Promise<EndingRow | undefined> {
  const moved = await deps.db.transaction((tx) => concludeWithin(deps, tx, saga, ending, finding, attempt));
  // The other attempt may have undone it while this one was locking.
  if (moved === undefined && (await saga.find(ending.id))?.status !== 'done') await unlock(attempt.via, ending);
  return moved;
}

async function concludeWithin(
  deps: SagaDeps,
  tx: Transaction,
  saga: EndingSaga,
  ending: EndingRow,
  finding: Finding,
  attempt: Attempt<EndingRow>,
): Promise<EndingRow | undefined> {
  const { association_id, member_id } = ending;
  const association = await lockAssociation(tx, association_id);
  const member = member_id === null ? undefined : await lockMemberById(tx, association_id, member_id);
  const refusal =
    finding.refusal ?? endingRefusal(ending, association, member, await isBoundSince(tx, ending, finding));
  if (refusal !== null) return saga.moveWithin(tx, ending, { to: 'unlocking', set: { refusal } });
  const done = await saga.moveWithin(tx, ending, { to: 'done' });
  if (done === undefined) return undefined;
  await storeOutcome(deps, tx, ending, DONE);
  await (member === undefined ? closeAssociation(deps, tx, ending) : removeMember(deps, tx, ending, member));
  await attempt.keepAnswer?.(tx, done);
  return done;
}

/** Whether a cycle binds the member, or has begun since contribution was asked: it may have left arrears. */
async function isBoundSince(tx: Transaction, ending: EndingRow, { bindings }: Finding): Promise<boolean> {
  if (ending.member_id === null) return false;
  const { open, count } = await findMemberBindings(tx, ending.association_id, ending.member_id);
  return open !== null || count !== bindings;
}

async function closeAssociation({ outbox }: SagaDeps, tx: Transaction, closure: EndingRow): Promise<void> {
  const { id: approval_id, association_id } = closure;
  await tx.orm.update(associations, { id: association_id }, { status: 'closed' });
  outbox.append(tx, { type: 'association.closed', association_id, data: { approval_id } });
}

async function removeMember(
  { outbox }: SagaDeps,
  tx: Transaction,
  { id: approval_id, association_id, kind }: EndingRow,
  { id: member_id, user_id, tenure }: MemberRow,
): Promise<void> {
  const status = kind === 'leaving' ? 'left' : 'expelled';
  await tx.orm.update(members, { id: member_id }, { status, tenure: tenure + 1 });
  await countMembers(tx, association_id, -1);
  const data = { member_id, user_id };
  outbox.append(
    tx,
    kind === 'leaving'
      ? { type: 'member.left', association_id, data }
      : { type: 'member.expelled', association_id, data: { ...data, approval_id } },
  );
}

/** Stores how the approval was executed; a member who leaves has none. */
async function storeOutcome(
  { runtime }: SagaDeps,
  tx: Transaction,
  { id: approval_id, association_id, kind }: Wanted,
  outcome: ExecutionOutcome,
): Promise<void> {
  if (kind !== 'leaving') await insertOutcome(tx, { approval_id, association_id }, outcome, runtime.clock());
}
