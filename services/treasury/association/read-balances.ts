import { fundingAccount } from '../../../lib/contracts/accounts.ts';
import { savingsOfTransfers } from '../../../lib/contracts/contribution.ts';
import type { Terms } from '../../../lib/contracts/membership.ts';
import { balances, cashBox } from '../../../lib/contracts/treasury.ts';
import type { Db } from '../../../lib/db/db.ts';
import { findRow } from '../../../lib/db/table.ts';
import { toMajor } from '../../../lib/money/amount.ts';
import { authorizeCaller } from '../../../lib/service/authorize-caller.ts';
import { call } from '../../../lib/service/call.ts';
import { implement, implementCommand, type CallContext } from '../../../lib/service/implement.ts';
import type { TreasuryDeps } from '../deps.ts';
import { accountIdOf, associationChain } from '../ledger/chain.rules.ts';
import { accounts as accountsTable } from '../ledger/ledger.table.ts';
import type { SavingsChange } from '../ledger/posting.rules.ts';
import { listSettledAfter, readHoldings, readMovedAfter } from './association.store.ts';
import { accountsBefore, summarize, type AccountHolding } from './balances.rules.ts';

/** Reads how much the association has, or had at an instant, in its treasury, reserve, cash box and pools. */
export const balancesAction = ({ reads }: TreasuryDeps) =>
  implement(balances, async ({ path: { association_id }, query: { at } }, caller, ctx) => {
    const { terms } = await authorizeCaller(ctx, caller, association_id, 'read');
    const accounts =
      at === undefined
        ? await readHoldings(reads, association_id)
        : await readHoldingsAt(reads, ctx, terms, new Date(at));
    const major = (minor: bigint) => toMajor(minor, terms.currency);
    const { treasury, reserved, cash, available, pools } = summarize(accounts);
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

const NO_SAVINGS: SavingsChange = { emoney_minor: 0, cash_minor: 0 };

/** Reads the accounts as they were after the transfers that were posted until then. */
async function readHoldingsAt(
  reads: TreasuryDeps['reads'],
  ctx: CallContext,
  { association_id, type }: Terms,
  at: Date,
): Promise<Map<string, AccountHolding>> {
  const [accounts, moved, transfer_ids] = await reads.snapshot((db: Db) =>
    Promise.all([
      readHoldings(db, association_id),
      readMovedAfter(db, association_id, at),
      type === 'savings' ? listSettledAfter(db, association_id, at) : [],
    ]),
  );
  const saved =
    transfer_ids.length === 0 ? NO_SAVINGS : await call(ctx, savingsOfTransfers, { association_id, transfer_ids });
  return accountsBefore(accounts, moved, saved);
}

/** Returns to contribution what the cash box holds. */
export const cashBoxAction = ({ reads }: TreasuryDeps) =>
  implementCommand(cashBox, async ({ association_id }) => {
    const account_id = accountIdOf(associationChain(association_id), fundingAccount('cash'));
    const account = await findRow(reads, accountsTable, { account_id });
    // All cash in the box came from this account, so the two balances are opposite.
    return { cash_minor: Number(-(account?.balance ?? 0n)) };
  });
