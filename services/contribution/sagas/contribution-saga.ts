import { call } from '../../../lib/actions/call.ts';
import type { CanCall } from '../../../lib/actions/call.ts';
import { transfer } from '../../../lib/contracts/treasury.ts';
import type { ErrorCode } from '../../../lib/errors/codes.ts';
import type { Problem } from '../../../lib/errors/problem.ts';
import { problemCode } from '../../../lib/errors/problem.ts';
import type { ContributionDeps } from '../deps.ts';
import { CONTRIBUTION_MOVES } from '../domain/contribution-states.ts';
import type { ContributionRow } from '../persistence/contribution.entity.ts';
import { giveBack, markPaid } from '../persistence/decide-contribution.ts';
import { outcomeOf } from './outcome.ts';
import type { Outcome } from './outcome.ts';

/** What driving a stored contribution needs to know of it. */
export interface DrivenContribution {
  id: string;
  association_id: string;
  meeting_id: string;
  member_id: string;
  paid_by_member_id: string;
  payer_user_id: string;
  wallet_id: string;
  amount_minor: bigint;
  currency: string;
}

/** Asks the ledger to move the money, or, if it was asked before, what came of it: the transfer has the same id. */
export async function moveContribution(
  deps: ContributionDeps,
  via: CanCall,
  contribution: DrivenContribution,
): Promise<Outcome<unknown>> {
  const amount_minor = Number(contribution.amount_minor);
  const outcome = await outcomeOf(
    call(
      via,
      transfer,
      {
        id: contribution.id,
        association_id: contribution.association_id,
        kind: 'contribution',
        currency: contribution.currency,
        legs: [
          { account: `wallet:${contribution.wallet_id}`, amount_minor: -amount_minor },
          { account: `pool:${contribution.meeting_id}`, amount_minor },
        ],
        reference: null,
        payer_user_id: contribution.payer_user_id,
        member_id: contribution.member_id,
      },
      deps.timings.transfer_deadline_ms,
    ),
  );
  await deps.foundation.runtime.reached('contribution.transfer_answered');
  return outcome;
}

/**
 * Counts a contribution whose money has moved.
 * @returns it as it is now; undefined if it was decided before
 */
export async function countPaid(
  { foundation }: ContributionDeps,
  contribution: DrivenContribution,
): Promise<ContributionRow | undefined> {
  const events = foundation.outbox.columnsOf([
    {
      type: 'contribution.paid',
      association_id: contribution.association_id,
      data: { ...factOf(contribution), transfer_id: contribution.id },
    },
  ]);
  const paid = await markPaid(foundation.db.pool, contribution.id, foundation.runtime.clock(), events);
  foundation.eventsCommitted();
  await foundation.runtime.reached('contribution.decided');
  return paid;
}

/** Ends a contribution that the ledger refused while its caller waits for the answer; false if decided before. */
export async function refuseContribution(
  { foundation }: ContributionDeps,
  contribution: DrivenContribution,
  refusal: Problem,
): Promise<boolean> {
  const { runtime, db, outbox } = foundation;
  const { refuse } = CONTRIBUTION_MOVES;
  const nothing = outbox.columnsOf([]);
  const decided = await giveBack(db.pool, contribution.id, runtime.clock(), refuse, codeOf(refusal), nothing);
  await runtime.reached('contribution.decided');
  return decided;
}

/** Ends a contribution that was answered with 202 and then refused by the ledger; false if decided before. */
export async function failContribution(
  { foundation }: ContributionDeps,
  contribution: DrivenContribution,
  refusal: Problem,
): Promise<boolean> {
  const { runtime, db, outbox } = foundation;
  const code = codeOf(refusal);
  const events = outbox.columnsOf([
    {
      type: 'contribution.failed',
      association_id: contribution.association_id,
      data: { ...factOf(contribution), code },
    },
  ]);
  const { fail } = CONTRIBUTION_MOVES;
  const decided = await giveBack(db.pool, contribution.id, runtime.clock(), fail, code, events);
  foundation.eventsCommitted();
  await runtime.reached('contribution.decided');
  return decided;
}

function factOf(contribution: DrivenContribution) {
  return {
    contribution_id: contribution.id,
    meeting_id: contribution.meeting_id,
    member_id: contribution.member_id,
    paid_by_member_id: contribution.paid_by_member_id,
    amount_minor: Number(contribution.amount_minor),
    currency: contribution.currency,
  };
}

function codeOf(refusal: Problem): ErrorCode {
  return problemCode(refusal) ?? 'internal_error';
}
