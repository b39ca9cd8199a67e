import type { EntityManager } from 'typeorm';
import { call } from '../../../lib/service/call.ts';
import type { CanCall } from '../../../lib/service/call.ts';
import type { CommandInput } from '../../../lib/contracts/action.ts';
import { transfer } from '../../../lib/contracts/treasury.ts';
import type { ErrorCode } from '../../../lib/errors/codes.ts';
import type { Problem } from '../../../lib/errors/problem.ts';
import { problemCode } from '../../../lib/errors/problem.ts';
import type { Fact } from '../../../lib/events/outbox.ts';
import type { Foundation } from '../../../lib/service/service-context.ts';
import type { ContributionDeps } from '../deps.ts';
import { CONTRIBUTION_MOVES } from './contribution-states.ts';
import { partsOf } from '../arrears/arrears.store.ts';
import type { PaidPart } from '../arrears/arrears.store.ts';
import type { ContributionRow } from './contribution.table.ts';
import { giveBack } from './decide-contribution.ts';
import type { KeepAnswer } from './decide-contribution.ts';
import type { GatheredStatements } from './gathered.ts';
import { giveArrearsBack, markArrearsPaid } from '../arrears/pay-arrears.ts';
import { outcomeOf } from '../settlement/outcome.ts';
import type { Outcome } from '../settlement/outcome.ts';

/** What deciding a stored contribution needs to know of it. */
export type DecidedContribution = Pick<
  ContributionRow,
  | 'id'
  | 'association_id'
  | 'meeting_id'
  | 'member_id'
  | 'paid_by_member_id'
  | 'method'
  | 'kind'
  | 'amount_minor'
  | 'currency'
>;

/** What driving one needs beside: only those by wallet are driven from here. */
export interface DrivenContribution extends DecidedContribution {
  payer_user_id: string;
  wallet_id: string;
  /** Whom it pays; empty where it goes into the pool. */
  parts: readonly PaidPart[];
}

/** A stored contribution as it is to be driven; undefined for cash, which the board decides. */
export async function drivenForm(
  { foundation: { db } }: ContributionDeps,
  row: ContributionRow,
): Promise<DrivenContribution | undefined> {
  const { wallet_id, payer_user_id } = row;
  if (wallet_id === null || payer_user_id === null) return undefined;
  const parts = row.kind === 'arrears' ? await partsOf(db.manager, row.id) : [];
  return { ...row, wallet_id, payer_user_id, parts };
}

/** Asks the ledger to move the money, or, if it was asked before, what came of it: the transfer has the same id. */
export async function moveContribution(
  deps: ContributionDeps,
  via: CanCall,
  contribution: DrivenContribution,
): Promise<Outcome<unknown>> {
  const outcome = await outcomeOf(
    call(
      via,
      transfer,
      {
        id: contribution.id,
        association_id: contribution.association_id,
        kind: contribution.kind === 'arrears' ? 'arrears_payment' : 'contribution',
        currency: contribution.currency,
        legs: legsOf(contribution),
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

/** From the payer's wallet into the pool, or straight to those to whom the member owes. */
function legsOf({
  wallet_id,
  meeting_id,
  amount_minor,
  parts,
}: DrivenContribution): CommandInput<typeof transfer>['legs'] {
  const paid = { account: `wallet:${wallet_id}`, amount_minor: -Number(amount_minor) };
  if (parts.length === 0) return [paid, { account: `pool:${meeting_id}`, amount_minor: Number(amount_minor) }];
  const received = parts.map((part) => ({
    account: `wallet:${part.wallet_id}`,
    amount_minor: Number(part.amount_minor),
    member_id: part.creditor_id,
  }));
  return [paid, ...received];
}

/**
 * Counts a contribution whose money has moved.
 * @param keep runs in the same transaction, where the request has an answer to keep
 * @returns it as it is now; undefined if it was decided before
 */
export async function countPaid(
  { foundation, gathered }: ContributionDeps,
  contribution: DecidedContribution,
  keep?: KeepAnswer,
): Promise<ContributionRow | undefined> {
  const paid = await (contribution.kind === 'pool'
    ? countIntoPool(foundation, gathered, contribution, keep)
    : foundation.transaction((manager) => countArrears(foundation, manager, contribution, keep)));
  await foundation.runtime.reached('contribution.decided');
  return paid;
}

/** The plain case, together with all that are there at the same time. */
async function countIntoPool(
  foundation: Foundation,
  gathered: GatheredStatements,
  contribution: DecidedContribution,
  keep: KeepAnswer | undefined,
): Promise<ContributionRow | undefined> {
  const events = foundation.outbox.columnsOf([paidFact(contribution)]);
  const paid = await gathered.markPaid({ ...contribution, events, keep });
  foundation.eventsCommitted();
  return paid;
}

async function countArrears(
  { outbox, runtime }: Foundation,
  manager: EntityManager,
  contribution: DecidedContribution,
  keep: KeepAnswer | undefined,
): Promise<ContributionRow | undefined> {
  const row = await markArrearsPaid(manager, contribution.id, runtime.clock());
  if (row === undefined) return undefined;
  await outbox.append(manager, paidFact(contribution));
  await keep?.(manager, row);
  return row;
}

/** Ends a contribution that the ledger refused while its caller waits for the answer; false if decided before. */
export function refuseContribution(
  deps: ContributionDeps,
  contribution: DecidedContribution,
  refusal: Problem,
): Promise<boolean> {
  return endUnpaid(deps, contribution, CONTRIBUTION_MOVES.refuse, codeOf(refusal), []);
}

/** Ends one that clients have seen, answered with 202 or in cash, and tells of it; false if decided before. */
export function failContribution(
  deps: ContributionDeps,
  contribution: DecidedContribution,
  code: string,
): Promise<boolean> {
  const { association_id } = contribution;
  const data = { ...factOf(contribution), code };
  return endUnpaid(deps, contribution, CONTRIBUTION_MOVES.fail, code, [
    { type: 'contribution.failed', association_id, data },
  ]);
}

/** Takes a stored contribution to its end, if the ledger tells what that is. */
export async function resumeContribution(deps: ContributionDeps, via: CanCall, row: ContributionRow): Promise<void> {
  const contribution = await drivenForm(deps, row);
  if (contribution === undefined) return;
  const outcome = await moveContribution(deps, via, contribution);
  if (outcome.kind === 'done') await countPaid(deps, contribution);
  if (outcome.kind === 'refused') await failContribution(deps, contribution, codeOf(outcome.problem));
}

async function endUnpaid(
  { foundation }: ContributionDeps,
  { id, kind }: DecidedContribution,
  move: typeof CONTRIBUTION_MOVES.fail | typeof CONTRIBUTION_MOVES.refuse,
  code: string,
  facts: Fact[],
): Promise<boolean> {
  const { runtime, db, outbox } = foundation;
  const now = runtime.clock();
  let decided: boolean;
  if (kind === 'pool') {
    decided = await giveBack(db.pool, id, now, move, code, outbox.columnsOf(facts));
    foundation.eventsCommitted();
  } else {
    decided = await foundation.transaction(async (manager) => {
      if ((await giveArrearsBack(manager, id, now, move, code)) === undefined) return false;
      await outbox.append(manager, ...facts);
      return true;
    });
  }
  await runtime.reached('contribution.decided');
  return decided;
}

function paidFact(contribution: DecidedContribution): Fact {
  const { association_id, id: transfer_id } = contribution;
  return { type: 'contribution.paid', association_id, data: { ...factOf(contribution), transfer_id } };
}

function factOf(contribution: DecidedContribution) {
  return {
    contribution_id: contribution.id,
    meeting_id: contribution.meeting_id,
    member_id: contribution.member_id,
    paid_by_member_id: contribution.paid_by_member_id,
    amount_minor: Number(contribution.amount_minor),
    currency: contribution.currency,
    method: contribution.method,
  };
}

export function codeOf(refusal: Problem): ErrorCode {
  return problemCode(refusal) ?? 'internal_error';
}
