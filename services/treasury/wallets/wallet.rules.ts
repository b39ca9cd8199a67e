import type { Wallet as WalletAnswer } from '../../../lib/contracts/treasury.ts';
import { toMajor } from '../../../lib/money/amount.ts';
import { FUNDING, walletAccount, walletChain } from '../ledger/accounts.rules.ts';
import type { Posting } from '../ledger/posting.rules.ts';

export interface Wallet {
  id: string;
  user_id: string;
  currency: string;
  account_id: string;
  created_at: Date;
}

export interface WalletWithBalance extends Wallet {
  /** In minor units. */
  balance: bigint;
}

/** Which transfer stands for a reference of a deposit or withdrawal. */
export interface WalletFunding {
  wallet_id: string;
  kind: 'wallet_deposit' | 'wallet_withdrawal';
  reference: string;
  /** In minor units, above zero in both directions. */
  amount: bigint;
  transfer_id: string;
}

export function showWallet(wallet: WalletWithBalance): WalletAnswer {
  return {
    id: wallet.id,
    user_id: wallet.user_id,
    currency: wallet.currency,
    balance: toMajor(wallet.balance, wallet.currency),
    created_at: wallet.created_at.toISOString(),
  };
}

/** E-money enters or leaves, on the wallet's own chain. */
export function fundingPosting(wallet: Wallet, plan: WalletFunding): Posting {
  const into_wallet = Number(plan.kind === 'wallet_deposit' ? plan.amount : -plan.amount);
  return {
    id: plan.transfer_id,
    chain_id: walletChain(wallet.id),
    association_id: null,
    kind: plan.kind,
    currency: wallet.currency,
    reference: plan.reference,
    movement: {
      legs: [
        { account: FUNDING, amount_minor: -into_wallet },
        { account: walletAccount(wallet.id), amount_minor: into_wallet },
      ],
    },
    payer_user_id: wallet.user_id,
    member_id: null,
  };
}
