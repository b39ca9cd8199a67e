import { fundingAccount, isWalletAccount, walletAccount } from '../../../lib/contracts/accounts.ts';
import type { Leg } from '../../../lib/contracts/treasury.ts';
import type { CreditorPart } from '../../../services/contribution/arrears/arrears.store.ts';
import { transferOf as transferOfPayment } from '../../../services/contribution/payments/contribution.saga.ts';
import {
  CONTRIBUTION_STATES,
  PENDING,
  type ContributionRow,
} from '../../../services/contribution/payments/contribution.table.ts';
import { transferOf as transferOfPlan } from '../../../services/contribution/settlement/settlement.saga.ts';
import {
  PLANNED,
  SETTLEMENT_STATES,
  type SettlementRow,
} from '../../../services/contribution/settlement/settlement.table.ts';
import { pairs } from '../pairs.ts';
import { transferFault, TRANSFERS_BY_ID, unwantedFault, type StoredTransfer } from '../stored-transfer.ts';

type ListedContribution = ContributionRow & {
  /** The parts of a payment of arrears; null for a payment into a pool. Amounts are texts, as JSON has no bigint. */
  parts: (Omit<CreditorPart, 'amount_minor'> & { amount_minor: string })[] | null;
};

/** Contributions by wallet: cash is posted by its deposit, which has its own check. */
const DECIDED_CONTRIBUTIONS = `
    SELECT c.*, CASE WHEN kind = 'arrears' THEN (
      SELECT json_agg(json_build_object('creditor_id', x.creditor_id, 'wallet_id', x.wallet_id,
                                        'amount_minor', x.amount_minor::text)
                      ORDER BY a.debtor_id, a.settled_at, a.meeting_id, a.rank)
      FROM arrears_allocations x JOIN arrears a USING (meeting_id, debtor_id, creditor_id) WHERE x.payment_id = c.id
    ) END AS parts
    FROM contributions c WHERE id > $1 AND status NOT IN (${PENDING}) AND method = 'wallet' ORDER BY id LIMIT $2`;

export const contributionsCheck = pairs<ListedContribution, StoredTransfer>({
  name: 'contributions',
  compares: 'each contribution with its transfer',
  from: { service: 'contribution', sql: DECIDED_CONTRIBUTIONS },
  to: { service: 'treasury', sql: TRANSFERS_BY_ID },
  differs(row, find) {
    const { id, association_id, meeting_id, status } = row;
    const what = `contribution ${id} to meeting ${meeting_id} of association ${association_id} is ${status}`;
    const parts = (row.parts ?? []).map((part) => ({ ...part, amount_minor: BigInt(part.amount_minor) }));
    const fault = CONTRIBUTION_STATES[status].posted
      ? transferFault(transferOfPayment(row, parts), find())
      : unwantedFault(find());
    return fault === null ? null : `${what}, but ${fault}`;
  },
});

const DECIDED_SETTLEMENTS = `SELECT * FROM settlements WHERE id > $1 AND status NOT IN (${PLANNED}) ORDER BY id LIMIT $2`;

export const settlementsCheck = pairs<SettlementRow, StoredTransfer>({
  name: 'settlements',
  compares: 'each settlement and refund with its transfer and its payouts',
  from: { service: 'contribution', sql: DECIDED_SETTLEMENTS },
  to: { service: 'treasury', sql: TRANSFERS_BY_ID },
  differs(row, find) {
    const { id, kind, association_id, meeting_id, status, legs } = row;
    const what = `${kind} ${id} of meeting ${meeting_id} of association ${association_id} is ${status}`;
    const isDone = SETTLEMENT_STATES[status].done && legs.length > 0;
    const fault = isDone ? transferFault(transferOfPlan(row), find()) : unwantedFault(find());
    if (fault !== null) return `${what}, but ${fault}`;
    const payouts = payoutsFault(row);
    return payouts === null ? null : `${what}, but ${payouts}`;
  },
});

/** The account that receives what is paid out in cash. */
const CASH = fundingAccount('cash');

/** Returns the wallet whose payouts are not what the legs pay to it; null if there is none. */
function payoutsFault({ payouts, legs }: SettlementRow): string | null {
  const listed = new Map<string, number>();
  for (const { wallet_id, amount_minor } of payouts) {
    const to = wallet_id === null ? CASH : walletAccount(wallet_id);
    listed.set(to, (listed.get(to) ?? 0) + amount_minor);
  }
  const paid = new Map<string, number>();
  for (const leg of legs) {
    const to = paidTo(leg);
    if (to !== undefined) paid.set(to, (paid.get(to) ?? 0) + leg.amount_minor);
  }
  for (const to of new Set([...listed.keys(), ...paid.keys()])) {
    const [by_payouts, by_legs] = [listed.get(to) ?? 0, paid.get(to) ?? 0];
    if (by_payouts !== by_legs) {
      return `its payouts to ${to} are ${String(by_payouts)}, and its legs ${String(by_legs)}`;
    }
  }
  return null;
}

/** Returns the wallet, or the cash, that receives the leg; undefined for a leg within the association. */
function paidTo({ account }: Leg): string | undefined {
  return isWalletAccount(account) || account === CASH ? account : undefined;
}
