import { payFine } from '../../../lib/contracts/contribution.ts';
import { transfer } from '../../../lib/contracts/treasury.ts';
import type { Transaction } from '../../../lib/db/db.ts';
import { insertRows } from '../../../lib/db/table.ts';
import { isErrorCode } from '../../../lib/errors/codes.ts';
import { problem } from '../../../lib/errors/problem.ts';
import { toMajor } from '../../../lib/money/amount.ts';
import { amountOf, authorizeCaller } from '../../../lib/service/authorize-caller.ts';
import { statementFor } from '../../../lib/service/call.ts';
import { answerLocation, answerStatus } from '../../../lib/service/implement.ts';
import { implementSaga } from '../../../lib/service/implement-saga.ts';
import type { ContributionDeps } from '../deps.ts';
import { findFine, lockFine, takeFine } from './fine.store.ts';
import { FINE_PAYMENT_STATES, FINE_STATES, finePayments, type FinePaymentRow } from './fine.table.ts';
import { showFine } from './fine.view.ts';

/**
 * Pays a fine, or a part of it, from the caller's own wallet into the treasury. Answers 201 once it is paid, the ledger's
 * refusal, or 202 while the outcome is unknown.
 */
export function payFineAction(deps: ContributionDeps) {
  return implementSaga(deps, payFine, {
    saga: deps.finePayments,
    async begin({ path: { association_id, fine_id }, body }, caller, ctx, operation) {
      const { wallet_id, pin, amount } = body;
      const fine = await findFine(deps.db, association_id, fine_id);
      const authorized = await authorizeCaller(ctx, caller, association_id, 'contribute', { pin, amount });
      // PostgreSQL cannot store such a string, so no wallet has this id.
      if (wallet_id.includes('\u0000') || !wallet_id.isWellFormed()) throw problem('not_found');
      const now = deps.runtime.clock();
      const payment: FinePaymentRow = {
        id: operation.id,
        association_id,
        fine_id,
        member_id: fine.member_id,
        paid_by_member_id: authorized.member.member_id,
        payer_user_id: caller.user_id,
        wallet_id,
        amount_minor: amountOf(authorized),
        currency: fine.currency,
        status: 'pending',
        failure_code: null,
        statement: statementFor(ctx, transfer) ?? null,
        created_at: now,
        decided_at: null,
        last_attempt_at: now,
      };
      return deps.db.transaction(async (tx) => {
        await operation.hold(tx);
        return store(tx, payment);
      });
    },
    refusalOf: ({ failure_code }) => (isErrorCode(failure_code) ? { code: failure_code, extras: {} } : null),
    async answer({ id, association_id, fine_id, status }, ctx, db) {
      answerLocation(ctx, `/associations/${association_id}/fines/${fine_id}`);
      const { posted } = FINE_PAYMENT_STATES[status];
      if (!posted) answerStatus(ctx, 202);
      const fine = await findFine(db, association_id, fine_id);
      return { ...showFine(fine), transfer_id: posted ? id : null };
    },
    isAnsweredEarly: true,
  });
}

/**
 * Stores the payment and takes its amount of the fine, or does neither.
 * @throws fine_not_due, fine_exceeded
 */
async function store(tx: Transaction, payment: FinePaymentRow): Promise<FinePaymentRow> {
  const { fine_id, amount_minor } = payment;
  // The refusal says what is left, which must not change until then.
  const fine = await lockFine(tx, fine_id);
  if (!FINE_STATES[fine.status].obliges) throw problem('fine_not_due');
  if (!(await takeFine(tx, fine_id, amount_minor))) {
    const outstanding = toMajor(fine.amount_minor - fine.taken_minor, fine.currency);
    throw problem('fine_exceeded', { outstanding });
  }
  await insertRows(tx, finePayments, [payment]);
  return payment;
}
