import { poolAccount, walletAccount } from '../../../lib/contracts/accounts.ts';
import type { CommandInput } from '../../../lib/contracts/action.ts';
import { metadataMember } from '../../../lib/contracts/metadata.ts';
import { transfer } from '../../../lib/contracts/treasury.ts';
import { isErrorCode } from '../../../lib/errors/codes.ts';
import type { Refusal } from '../../../lib/errors/problem.ts';
import type { Fact } from '../../../lib/events/outbox.ts';
import { createSaga, type Attempt, type Commit, type Move, type Saga } from '../../../lib/saga/saga.ts';
import { callOrRefusal, statementFor } from '../../../lib/service/call.ts';
import type { ServiceContext } from '../../../lib/service/service-context.ts';
import { giveArrearsBack, listCreditorParts, payArrears, type CreditorPart } from '../arrears/arrears.store.ts';
import type { ContributionTimings } from '../timings.ts';
import { withMetadata } from './contribution.store.ts';
import { CONTRIBUTION_STATES, contributions } from './contribution.table.ts';
import type { ContributionRow, ContributionStatus, DescribedContribution } from './contribution.table.ts';
import { findPayerStatement } from './payer-statement.store.ts';
import { giveDueBack, type PaymentBatches } from './payment.store.ts';

type ContributionMove = Move<ContributionStatus, ContributionRow>;
type KeepAnswer = Attempt<ContributionRow>['keepAnswer'];

export interface ContributionSaga extends Saga<ContributionStatus, ContributionRow> {
  /**
   * Marks a contribution whose money has moved as paid.
   * @returns undefined, with nothing changed, if it was decided before
   */
  markPaid(row: DescribedContribution, keepAnswer?: KeepAnswer): Promise<ContributionRow | undefined>;
}

/**
 * Creates the saga that moves the money of a stored contribution and marks it as paid. It leaves cash to decide-cash.ts, as
 * the board decides cash.
 */
export function createContributionSaga(
  context: ServiceContext,
  payments: PaymentBatches,
  timings: ContributionTimings,
): ContributionSaga {
  const { db, outbox, runtime } = context;

  async function pay(
    found: ContributionRow,
    { via, isRecovery, keepAnswer }: Attempt<ContributionRow>,
  ): Promise<ContributionMove | Commit<ContributionRow>> {
    const row = await withMetadata(db, found);
    const parts = row.kind === 'arrears' ? await listCreditorParts(db, row.id) : [];
    // The request's own, as it is the newest; recovery has the one that was stored.
    const statement = statementFor(via, transfer) ?? (await findPayerStatement(db, row.id));
    const { refusal } = await callOrRefusal(via, transfer, transferOf(row, parts), timings.call_timeout_ms, statement);
    if (refusal === undefined) return { commit: () => markPaid(row, keepAnswer) };
    // A request answers with the refusal. Before recovery, clients may have seen the contribution, so it stays visible.
    return unpaidMove(row, isRecovery ? 'failed' : 'refused', refusal.code, runtime.clock());
  }

  async function markPaid(row: DescribedContribution, keepAnswer: KeepAnswer): Promise<ContributionRow | undefined> {
    if (row.kind === 'pool') {
      const paid = await payments.markPaid({ ...row, events: outbox.rowsOf([paidFact(row)]), keepAnswer });
      outbox.committed();
      return paid;
    }
    return db.transaction(async (tx) => {
      const stored = await payArrears(tx, row, runtime.clock());
      if (stored === undefined) return undefined;
      const paid = { ...stored, metadata: row.metadata };
      outbox.append(tx, paidFact(row));
      await keepAnswer?.(tx, paid);
      return paid;
    });
  }

  const saga = createSaga(context, timings, {
    name: 'contribution',
    table: contributions,
    states: CONTRIBUTION_STATES,
    steps: { pending: pay },
    recoverable: `method = 'wallet'`,
  });
  return { ...saga, markPaid };
}

/** Returns why a contribution by wallet was refused; null if it was not. */
export function refusalOfContribution({ failure_code }: ContributionRow): Refusal | null {
  return isErrorCode(failure_code) ? { code: failure_code, extras: {} } : null;
}

/**
 * Returns the move that ends a contribution unpaid, and gives back what it took.
 * @param to `failed`, with its event, if clients may have seen it; `refused` if its request is still waiting
 */
export function unpaidMove(
  row: DescribedContribution,
  to: 'failed' | 'refused',
  code: string,
  now: Date,
): ContributionMove {
  return {
    to,
    set: { failure_code: code, decided_at: now },
    facts: to === 'failed' ? [failedFact(row, code)] : [],
    also: (tx) => {
      if (row.kind === 'arrears') return giveArrearsBack(tx, row.id);
      giveDueBack(tx, row);
    },
  };
}

/** Returns the transfer from the payer's wallet into the pool, or directly to the member's creditors. */
export function transferOf(row: ContributionRow, parts: readonly CreditorPart[]): CommandInput<typeof transfer> {
  const { id, association_id, meeting_id, member_id, wallet_id, payer_user_id, currency } = row;
  if (wallet_id === null) throw new Error(`Contribution ${id} is in cash, and has no transfer of its payer`);
  const amount_minor = Number(row.amount_minor);
  const received =
    row.kind === 'pool'
      ? [{ account: poolAccount(meeting_id), amount_minor }]
      : parts.map((part) => ({
          account: walletAccount(part.wallet_id),
          amount_minor: Number(part.amount_minor),
          member_id: part.creditor_id,
        }));
  return {
    id,
    association_id,
    kind: row.kind === 'pool' ? 'contribution' : 'arrears_payment',
    currency,
    legs: [{ account: walletAccount(wallet_id), amount_minor: -amount_minor }, ...received],
    reference: null,
    payer_user_id,
    member_id,
  };
}

/**
 * Returns the event of a contribution whose money has moved.
 * @param transfer_id that of the meeting sheet, if the contribution is a line of one
 */
export function paidFact(row: DescribedContribution, transfer_id = row.id): Fact {
  const { association_id } = row;
  return { type: 'contribution.paid', association_id, data: { ...eventDataOf(row), transfer_id } };
}

/** Returns the event of an accepted contribution that has failed. */
export function failedFact(row: DescribedContribution, code: string): Fact {
  return { type: 'contribution.failed', association_id: row.association_id, data: { ...eventDataOf(row), code } };
}

function eventDataOf(row: DescribedContribution) {
  return {
    contribution_id: row.id,
    meeting_id: row.meeting_id,
    member_id: row.member_id,
    paid_by_member_id: row.paid_by_member_id,
    amount_minor: Number(row.amount_minor),
    currency: row.currency,
    method: row.method,
    ...metadataMember(row.metadata),
  };
}
