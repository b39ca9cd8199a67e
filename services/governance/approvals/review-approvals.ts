import type { Logger } from 'moleculer';
import * as membership from '../../../lib/contracts/membership.ts';
import { updateRow } from '../../../lib/db/table.ts';
import { runEach, type RecurringJob } from '../../../lib/service/recurring-job.ts';
import { call, type CanCall } from '../../../lib/service/call.ts';
import type { GovernanceDeps } from '../deps.ts';
import { isExpired, isUndecided } from './approval.rules.ts';
import {
  findExpired,
  findMarked,
  listVotes,
  lockApproval,
  markForReevaluation,
  type ExpiredApproval,
} from './approval.store.ts';
import { approvals, type ApprovalRow } from './approval.table.ts';
import { decide, decideByVotes } from './decide-approval.ts';

/** How many approvals are reviewed at the same time: each may call another service. */
const REVIEW_MAX_ROWS = 100;

/** Creates the jobs that end expired approvals, and evaluate votes again if the board may have changed. */
export function reviewJobs(deps: GovernanceDeps, via: CanCall, log: Logger): RecurringJob[] {
  const every_ms = deps.timings.recover_every_ms;
  return [
    { name: 'expiry of approvals', every_ms, followsClock: true, run: () => expire(deps, via, log) },
    { name: 'reevaluation of approvals', every_ms, run: () => reevaluateMarked(deps, via, log) },
  ];
}

/** Ends all approvals that have expired. */
async function expire(deps: GovernanceDeps, via: CanCall, log: Logger): Promise<void> {
  const { db, runtime } = deps;
  const now = runtime.clock();
  let page: ExpiredApproval[] = [];
  do {
    page = await findExpired(db, now, page.at(-1), REVIEW_MAX_ROWS);
    await runEach(log, 'expiry', page, async ({ id }) => {
      const isDecided = await db.transaction(async (tx) => {
        const approval = await lockApproval(tx, id);
        return approval !== undefined && isExpired(approval, now) && (await decide(deps, tx, approval, 'expired', now));
      });
      if (isDecided) await execute(deps, via, id);
    });
  } while (page.length === REVIEW_MAX_ROWS);
}

async function reevaluateMarked(deps: GovernanceDeps, via: CanCall, log: Logger): Promise<void> {
  const { db, runtime, timings } = deps;
  const marked = Map.groupBy(await findMarked(db, REVIEW_MAX_ROWS), (approval) => approval.association_id);
  const associations = [...marked].map(([id, ofAssociation]) => ({ id, ofAssociation }));
  await runEach(log, 'reevaluation', associations, async ({ id: association_id, ofAssociation }) => {
    try {
      // The board is read after the marks, as any later change of the board sets new marks.
      const { board } = await call(via, membership.board, { association_id }, timings.call_timeout_ms);
      const ids = board.map((member) => member.member_id);
      for (const approval of ofAssociation) await reevaluate(deps, via, approval, ids);
    } catch (error) {
      // New marks put them at the end of the queue, so that they do not delay approvals of other associations.
      await markForReevaluation(db, association_id, runtime.newId());
      throw error;
    }
  });
}

async function reevaluate(
  deps: GovernanceDeps,
  via: CanCall,
  { id, rejudge_mark }: ApprovalRow,
  board: readonly string[],
): Promise<void> {
  const { db, runtime } = deps;
  const isDecided = await db.transaction(async (tx) => {
    const approval = await lockApproval(tx, id);
    const now = runtime.clock();
    // The job that ends an expired approval removes the mark.
    if (approval === undefined || !isUndecided(approval, now)) return false;
    // If a vote or a change of the board has set another mark since, the next run evaluates the votes.
    if (rejudge_mark === null || approval.rejudge_mark !== rejudge_mark) return false;
    if (await decideByVotes(deps, tx, approval, await listVotes(tx, approval.id), board, now)) return true;
    await updateRow(tx, approvals, { id, rejudge_mark }, { rejudge_mark: null });
    return false;
  });
  if (isDecided) await execute(deps, via, id);
}

async function execute({ executions }: GovernanceDeps, via: CanCall, id: string): Promise<void> {
  const execution = await executions.find(id);
  if (execution !== undefined) await executions.run(execution, { via, isRecovery: true });
}
