import { fundingAccount, walletAccount } from '../../../lib/contracts/accounts.ts';
import type { Caller, EndpointInput } from '../../../lib/contracts/action.ts';
import { storedMetadata } from '../../../lib/contracts/metadata.ts';
import { depositToWallet, withdrawFromWallet, type TransferRecord } from '../../../lib/contracts/treasury.ts';
import { problem } from '../../../lib/errors/problem.ts';
import type { Operation } from '../../../lib/idempotency/operation.ts';
import { minorAmount } from '../../../lib/money/minor-amount.ts';
import { implementWrite } from '../../../lib/service/implement-write.ts';
import { answerLocation, type CallContext } from '../../../lib/service/implement.ts';
import { hasBecomeLate, notRun } from '../../../lib/transport/late-requests.ts';
import type { TreasuryDeps } from '../deps.ts';
import { walletChain } from '../ledger/chain.rules.ts';
import { transferOf } from '../ledger/post-transfer.ts';
import { legsBetween, type Posting } from '../ledger/posting.rules.ts';
import { dropFunding, findWallet, planFunding } from './wallet.store.ts';
import type { Wallet, WalletFunding } from './wallet.table.ts';

/** The scope of the payment provider, through which e-money enters and leaves. */
export const FUND_SCOPE = 'wallets:fund';

/** Deposits e-money that comes in from outside. */
export const depositAction = (deps: TreasuryDeps) =>
  implementWrite(deps, depositToWallet, (input, caller, ctx, operation) =>
    fundWallet(deps, 'wallet_deposit', input, caller, ctx, operation),
  );

/** Withdraws e-money, which leaves to the outside. */
export const withdrawAction = (deps: TreasuryDeps) =>
  implementWrite(deps, withdrawFromWallet, (input, caller, ctx, operation) =>
    fundWallet(deps, 'wallet_withdrawal', input, caller, ctx, operation),
  );

/**
 * Posts a deposit to a wallet or a withdrawal from it, once for each reference. If the ledger refuses the transfer, the
 * reference can be used again. If the process dies before that, the refusal has not been answered: the next request with the
 * reference gets it.
 */
async function fundWallet(
  { db, runtime, ledger }: TreasuryDeps,
  kind: WalletFunding['kind'],
  { path, body }: EndpointInput<typeof depositToWallet>,
  caller: Caller,
  ctx: CallContext,
  operation: Operation,
): Promise<TransferRecord> {
  const wallet = requireFundable(await findWallet(db, path.wallet_id), caller);
  const amount = minorAmount(body.amount, wallet.currency, '/amount');

  const metadata = storedMetadata(body.metadata);
  const wanted = { wallet_id: wallet.id, kind, reference: body.reference, amount, transfer_id: operation.id, metadata };
  const plan = await db.transaction(async (tx) => {
    await operation.hold(tx);
    const stored = await planFunding(tx, wanted);
    // The reference is like a key: a repeat may have been refused meanwhile, or waits for this transaction.
    if (hasBecomeLate(ctx)) throw notRun(ctx);
    return stored;
  });
  if (plan.amount !== amount) throw problem('reference_reused');
  await runtime.reached('treasury.funding.planned');
  const outcome = await ledger.post(fundingPosting(wallet, plan));
  await runtime.reached('treasury.funding.posted');
  if (outcome.status === 'refused') await dropFunding(db, plan);
  const transfer = transferOf(outcome);
  answerLocation(ctx, `/wallets/${wallet.id}/transfers/${transfer.id}`);
  return transfer;
}

/** @throws not_found, insufficient_scope */
function requireFundable(wallet: Wallet | undefined, caller: Caller): Wallet {
  const mayFund = caller.scopes.includes(FUND_SCOPE);
  if (wallet === undefined || (!mayFund && wallet.user_id !== caller.user_id)) throw problem('not_found');
  if (!mayFund) throw problem('insufficient_scope', { required_scopes: [FUND_SCOPE] });
  return wallet;
}

/** Returns the transfer with which e-money enters or leaves, on the wallet's chain. */
function fundingPosting({ id, currency, user_id }: Wallet, plan: WalletFunding): Posting {
  const into_wallet = plan.kind === 'wallet_deposit' ? plan.amount : -plan.amount;
  return {
    id: plan.transfer_id,
    chain_id: walletChain(id),
    association_id: null,
    kind: plan.kind,
    currency,
    reference: plan.reference,
    movement: { legs: legsBetween(fundingAccount(), walletAccount(id), into_wallet) },
    payer_user_id: user_id,
    member_id: null,
    metadata: plan.metadata,
  };
}
