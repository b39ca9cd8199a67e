import { treasuryAccount, walletAccount } from '../../../lib/contracts/accounts.ts';
import type { CommandInput } from '../../../lib/contracts/action.ts';
import { transfer } from '../../../lib/contracts/treasury.ts';
import { createSaga, type Attempt, type Move, type Saga } from '../../../lib/saga/saga.ts';
import { callOrRefusal, statementFor } from '../../../lib/service/call.ts';
import type { ServiceContext } from '../../../lib/service/service-context.ts';
import type { ContributionTimings } from '../timings.ts';
import { giveFineBack, markFinePaid } from './fine.store.ts';
import { FINE_PAYMENT_STATES, finePayments, type FinePaymentRow, type FinePaymentStatus } from './fine.table.ts';
import { finePaidFact } from './fine.view.ts';

export type FinePaymentSaga = Saga<FinePaymentStatus, FinePaymentRow>;

/** Creates the saga that moves the money of a stored payment into the treasury, and then counts it for the fine. */
export function createFinePaymentSaga(context: ServiceContext, timings: ContributionTimings): FinePaymentSaga {
  const { runtime, outbox } = context;

  async function pay(
    row: FinePaymentRow,
    { via, isRecovery }: Attempt<FinePaymentRow>,
  ): Promise<Move<FinePaymentStatus, FinePaymentRow>> {
    const statement = statementFor(via, transfer) ?? row.statement ?? undefined;
    const { refusal } = await callOrRefusal(via, transfer, transferOf(row), timings.call_timeout_ms, statement);
    const decided = { decided_at: runtime.clock(), statement: null };
    const { id, fine_id, amount_minor } = row;
    if (refusal !== undefined) {
      return {
        to: isRecovery ? 'failed' : 'refused',
        set: { ...decided, failure_code: refusal.code },
        also: (tx) => giveFineBack(tx, fine_id, amount_minor),
      };
    }
    return {
      to: 'paid',
      set: decided,
      also: async (tx) => {
        outbox.append(tx, finePaidFact(await markFinePaid(tx, fine_id, amount_minor), amount_minor, id));
      },
    };
  }

  return createSaga(context, timings, {
    name: 'fine_payment',
    table: finePayments,
    states: FINE_PAYMENT_STATES,
    steps: { pending: pay },
  });
}

/** Returns the transfer from the payer's wallet into the treasury. It is on the statement of the fined member. */
export function transferOf(row: FinePaymentRow): CommandInput<typeof transfer> {
  const { id, association_id, wallet_id, currency, payer_user_id, member_id } = row;
  const amount_minor = Number(row.amount_minor);
  return {
    id,
    association_id,
    kind: 'fine_payment',
    currency,
    legs: [
      { account: walletAccount(wallet_id), amount_minor: -amount_minor },
      { account: treasuryAccount(), amount_minor },
    ],
    reference: null,
    payer_user_id,
    member_id,
  };
}
