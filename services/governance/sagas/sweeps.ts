import type { Logger } from 'moleculer';
import { call } from '../../../lib/actions/call.ts';
import type { CanCall } from '../../../lib/actions/call.ts';
import * as membership from '../../../lib/contracts/membership.ts';
import { faultOf } from '../../../lib/runtime/log.ts';
import { driveEach } from '../../../lib/saga/drive-each.ts';
import type { Sweep } from '../../../lib/saga/sweeper.ts';
import type { GovernanceDeps } from '../deps.ts';
import { isPast } from '../domain/voting.ts';
import { isOpen } from '../domain/states.ts';
import type { ApprovalRow } from '../persistence/approval.entity.ts';
import { findApproval, lockApproval } from '../persistence/approvals.ts';
import { clearMark, expiredApprovals, markedApprovals, markForRejudging, takeUntold } from '../persistence/sweeps.ts';
import { decide, decideByVotes } from './decision.ts';
import { tellOwner } from './tell-owner.ts';

/** What governance looks after by itself: time that is over, boards that have changed, owners that were not told. */
export function sweepsOf(deps: GovernanceDeps, via: CanCall, log: Logger): Sweep[] {
  const every_ms = deps.timings.sweep_every_ms;
  return [
    { name: 'expiry', every_ms, sweep: () => expireOverdue(deps, via, log) },
    { name: 'rejudging', every_ms, sweep: () => rejudgeMarked(deps, via, log) },
    { name: 'untold-owners', every_ms, sweep: () => tellLeftOver(deps, via, log) },
  ];
}

async function expireOverdue(deps: GovernanceDeps, via: CanCall, log: Logger): Promise<void> {
  const { foundation } = deps;
  const now = foundation.runtime.clock();
  await driveEach(log, 'expiry', await expiredApprovals(foundation.db.manager, now), async ({ id }) => {
    const expired = await foundation.transaction(async (manager) => {
      const approval = await lockApproval(manager, id);
      return approval !== null && isPast(approval, now) && (await decide(deps, manager, approval, 'expired', now));
    });
    if (expired) await tell(deps, via, log, id);
  });
}

async function rejudgeMarked(deps: GovernanceDeps, via: CanCall, log: Logger): Promise<void> {
  const { foundation } = deps;
  const { manager } = foundation.db;
  const marked = Map.groupBy(await markedApprovals(manager), (approval) => approval.association_id);
  const boards = [...marked].map(([id, approvals]) => ({ id, approvals }));
  await driveEach(log, 'rejudging', boards, async ({ id: association_id, approvals }) => {
    try {
      // Read after the mark: whatever changes the board from here on sets another one.
      const { board } = await call(via, membership.board, { association_id }, deps.timings.sweep_call_ms);
      const ids = board.map((member) => member.member_id);
      for (const approval of approvals) await rejudge(deps, via, log, approval, ids);
    } catch (error) {
      // To the end of the queue: what cannot be judged now must not keep out what can.
      await markForRejudging(manager, association_id, foundation.runtime.newId());
      throw error;
    }
  });
}

async function rejudge(
  deps: GovernanceDeps,
  via: CanCall,
  log: Logger,
  { id, rejudge_mark }: ApprovalRow,
  board: readonly string[],
): Promise<void> {
  const decided = await deps.foundation.transaction(async (manager) => {
    const approval = await lockApproval(manager, id);
    if (approval === null || !isOpen(approval.status)) return false;
    // Another vote or board came after this board was read: that one is judged by the next sweep.
    if (rejudge_mark === null || approval.rejudge_mark !== rejudge_mark) return false;
    const now = deps.foundation.runtime.clock();
    // Nothing decides it any more but that its time is over; the mark goes with that.
    if (isPast(approval, now)) return false;
    if (await decideByVotes(deps, manager, approval, board, now)) return true;
    await clearMark(manager, id, rejudge_mark);
    return false;
  });
  if (decided) await tell(deps, via, log, id);
}

async function tellLeftOver(deps: GovernanceDeps, via: CanCall, log: Logger): Promise<void> {
  const { foundation, timings } = deps;
  const now = foundation.runtime.clock();
  const before = new Date(now.getTime() - timings.stale_after_ms);
  const approvals = await foundation.transaction((manager) => takeUntold(manager, before, now));
  await driveEach(log, 'telling', approvals, (approval) => tell(deps, via, log, approval.id));
}

async function tell(deps: GovernanceDeps, via: CanCall, log: Logger, id: string): Promise<void> {
  const approval = await findApproval(deps.foundation.db.manager, id);
  if (approval === null || approval.status === 'pending') return;
  const failure = await tellOwner(deps, via, approval, approval.status, deps.timings.sweep_call_ms);
  if (failure === undefined) return;
  log.warn('the owner of an approval could not be told yet', {
    approval_id: id,
    subject_type: approval.subject_type,
    ...faultOf(failure),
  });
}
