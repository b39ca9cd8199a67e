import type { Logger } from 'moleculer';
import { call } from '../../../lib/actions/call.ts';
import type { CanCall } from '../../../lib/actions/call.ts';
import * as membership from '../../../lib/contracts/membership.ts';
import type { RunningParts } from '../../../lib/service/foundation.ts';
import type { GovernanceDeps } from '../governance.deps.ts';
import { isPast } from '../domain/voting.ts';
import { isOpen } from '../domain/states.ts';
import type { ApprovalRow } from '../persistence/approval.entity.ts';
import { findApproval, lockApproval } from '../persistence/approvals.repository.ts';
import { clearMark, expiredIds, markedApprovals, takeUntold } from '../persistence/sweeps.repository.ts';
import { decide, decideByVotes } from './decision.ts';
import { tellOwner } from './tell-owner.ts';

/** What governance looks after by itself: time that is over, boards that have changed, owners that were not told. */
export function governanceSweeps(deps: GovernanceDeps, via: CanCall, log: Logger): RunningParts['sweeps'] {
  const every_ms = deps.timings.sweep_every_ms;
  return [
    { name: 'governance-expiry', every_ms, sweep: () => expireOverdue(deps, via, log) },
    { name: 'governance-rejudge', every_ms, sweep: () => rejudgeMarked(deps, via, log) },
    { name: 'governance-tell-owner', every_ms, sweep: () => tellLeftOver(deps, via, log) },
  ];
}

async function expireOverdue(deps: GovernanceDeps, via: CanCall, log: Logger): Promise<void> {
  const { foundation } = deps;
  const now = foundation.runtime.clock();
  for (const id of await expiredIds(foundation.db.manager, now)) {
    const expired = await foundation.transaction(async (manager) => {
      const approval = await lockApproval(manager, id);
      return approval !== null && isPast(approval, now) && (await decide(deps, manager, approval, 'expired'));
    });
    if (expired) await tell(deps, via, log, id);
  }
}

async function rejudgeMarked(deps: GovernanceDeps, via: CanCall, log: Logger): Promise<void> {
  const { foundation } = deps;
  const marked = Map.groupBy(await markedApprovals(foundation.db.manager), (approval) => approval.association_id);
  for (const [association_id, approvals] of marked) {
    try {
      // Read after the mark: whatever changes the board from here on sets another one.
      const { board } = await call(via, membership.board, { association_id }, deps.timings.sweep_call_ms);
      const ids = board.map((member) => member.member_id);
      for (const approval of approvals) await rejudge(deps, via, log, approval, ids);
    } catch (error) {
      // Their marks stay for the next sweep; other associations need not wait for it.
      log.warn('approvals wait to be judged again', { association_id, message: (error as Error).message });
    }
  }
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
    if (await decideByVotes(deps, manager, approval, board)) return true;
    if (rejudge_mark !== null) await clearMark(manager, id, rejudge_mark);
    return false;
  });
  if (decided) await tell(deps, via, log, id);
}

async function tellLeftOver(deps: GovernanceDeps, via: CanCall, log: Logger): Promise<void> {
  const { foundation, timings } = deps;
  const now = foundation.runtime.clock();
  const before = new Date(now.getTime() - timings.untouched_for_ms);
  const approvals = await foundation.transaction((manager) => takeUntold(manager, before, now));
  // Side by side, so that one owner who is away does not hold up the others' news.
  await Promise.all(approvals.map((approval) => tell(deps, via, log, approval.id)));
}

async function tell(deps: GovernanceDeps, via: CanCall, log: Logger, id: string): Promise<void> {
  const approval = await findApproval(deps.foundation.db.manager, id);
  if (approval === null || approval.status === 'pending') return;
  const failure = await tellOwner(deps, via, approval, approval.status, deps.timings.sweep_call_ms);
  if (failure === undefined) return;
  log.warn('the owner of an approval could not be told yet', {
    approval_id: id,
    subject_type: approval.subject_type,
    message: (failure as Error).message,
  });
}
