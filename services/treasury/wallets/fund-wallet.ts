import { answerLocation } from '../../../lib/service/implement.ts';
import type { CallContext } from '../../../lib/service/implement.ts';
import type { Caller } from '../../../lib/contracts/action.ts';
import type { TransferRecord } from '../../../lib/contracts/treasury.ts';
import { invalid, problem } from '../../../lib/errors/problem.ts';
import { readAmount } from '../../../lib/money/amount.ts';
import type { TreasuryDeps } from '../deps.ts';
import { fundingPosting } from './wallet.rules.ts';
import type { Wallet, WalletFunding } from './wallet.rules.ts';
import { dropFunding, findWallet, planFunding } from './wallet.store.ts';
import { transferOf } from '../ledger/outcome.ts';

/** Of the payment provider through which e-money enters and leaves. */
export const FUND_SCOPE = 'wallets:fund';

interface FundingInput {
  path: { wallet_id: string };
  body: { amount: number; reference: string };
}

/**
 * A deposit to or withdrawal from a wallet: once for each reference. A payment provider's token may fund any wallet; a
 * reference whose transfer was refused is free again, as nothing happened under it.
 * @param transfer_id for the transfer, unless the reference has one already
 */
export async function fundWallet(
  { foundation, ledger }: TreasuryDeps,
  kind: WalletFunding['kind'],
  { path, body }: FundingInput,
  caller: Caller,
  ctx: CallContext,
  transfer_id: string,
): Promise<TransferRecord> {
  const { manager } = foundation.db;
  const wallet = fundableWallet(await findWallet(manager, path.wallet_id), caller);
  const amount = amountIn(body.amount, wallet.currency);

  const wanted = { wallet_id: wallet.id, kind, reference: body.reference, amount, transfer_id };
  const plan = await planFunding(manager, wanted);
  if (plan.amount !== amount) throw problem('reference_reused');
  await foundation.runtime.reached('treasury.funding.planned');
  const outcome = await ledger.post(fundingPosting(wallet, plan));
  await foundation.runtime.reached('treasury.funding.posted');
  if (outcome.status === 'refused') await dropFunding(manager, plan);
  const transfer = transferOf(outcome);
  answerLocation(ctx, `/wallets/${wallet.id}/transfers/${transfer.id}`);
  return transfer;
}

function fundableWallet<W extends Wallet>(wallet: W | undefined, caller: Caller): W {
  const mayFund = caller.scopes.includes(FUND_SCOPE);
  if (wallet === undefined || (!mayFund && wallet.user_id !== caller.user_id)) throw problem('not_found');
  if (!mayFund) throw problem('insufficient_scope', { required_scopes: [FUND_SCOPE] });
  return wallet;
}

/** The request's amount in minor units of the wallet's currency. */
function amountIn(amount: number, currency: string): bigint {
  const reading = readAmount(amount, currency);
  if ('minor' in reading) return reading.minor;
  if (reading.refused === 'too_large') {
    throw invalid({ pointer: '/amount', code: 'too_large', detail: 'The amount is too large.' });
  }
  const detail = `${currency} has no amount of so many decimals.`;
  throw problem('amount_precision', { errors: [{ pointer: '/amount', code: 'amount_precision', detail }] });
}
