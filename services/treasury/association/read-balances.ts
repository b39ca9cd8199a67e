import { fundingAccount } from '../../../lib/contracts/accounts.ts';
import { balances, cashBox } from '../../../lib/contracts/treasury.ts';
import { toMajor } from '../../../lib/money/amount.ts';
import { authorizeCaller } from '../../../lib/service/authorize-caller.ts';
import { implement, implementCommand } from '../../../lib/service/implement.ts';
import type { TreasuryDeps } from '../deps.ts';
import { accountIdOf, associationChain } from '../ledger/chain.rules.ts';
import { accounts } from '../ledger/ledger.table.ts';
import { readHoldings } from './association.store.ts';
import { summarize } from './balances.rules.ts';

/** Reads how much the association has in its treasury, reserve, cash box and pools. */
export const balancesAction = ({ reads }: TreasuryDeps) =>
  implement(balances, async ({ path: { association_id } }, caller, ctx) => {
    const { terms } = await authorizeCaller(ctx, caller, association_id, 'read');
    const major = (minor: bigint) => toMajor(minor, terms.currency);
    const { treasury, reserved, cash, available, pools } = summarize(await readHoldings(reads, association_id));
    return {
      currency: terms.currency,
      treasury: major(treasury),
      reserved: major(reserved),
      cash: major(cash),
      available: major(available),
      pools: pools.map(({ meeting_id, amount, cash_amount }) => ({
        meeting_id,
        amount: major(amount),
        cash_amount: major(cash_amount),
      })),
    };
  });

/** Returns to contribution what the cash box holds. */
export const cashBoxAction = ({ reads }: TreasuryDeps) =>
  implementCommand(cashBox, async ({ association_id }) => {
    const account_id = accountIdOf(associationChain(association_id), fundingAccount('cash'));
    const account = await reads.orm.findOneBy(accounts, { account_id });
    // All cash in the box came from this account, so the two balances are opposite.
    return { cash_minor: Number(-(account?.balance ?? 0n)) };
  });
