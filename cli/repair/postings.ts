/** Builds the posting of a lost transfer again, from its record and from the records of the services that asked for it. */
import { isWalletAccount } from '../../lib/contracts/accounts.ts';
import type { TransferLeg, TransferRecord } from '../../lib/contracts/treasury.ts';
import { transferOf as transferOfPayment } from '../../services/contribution/payments/contribution.saga.ts';
import type { ContributionRow } from '../../services/contribution/payments/contribution.table.ts';
import { listCreditorParts } from '../../services/contribution/arrears/arrears.store.ts';
import { transferOf as transferOfFine } from '../../services/contribution/fines/fine-payment.saga.ts';
import type { FinePaymentRow } from '../../services/contribution/fines/fine.table.ts';
import { transferOf as transferOfPlan } from '../../services/contribution/settlement/settlement.saga.ts';
import type { SettlementRow } from '../../services/contribution/settlement/settlement.table.ts';
import { transferOf as transferOfSheet } from '../../services/contribution/sheets/sheet.saga.ts';
import { listLines } from '../../services/contribution/sheets/sheet.store.ts';
import type { SubmissionRow } from '../../services/contribution/sheets/sheet.table.ts';
import { associationChain } from '../../services/treasury/ledger/chain.rules.ts';
import type { Posting, SavingsChange } from '../../services/treasury/ledger/posting.rules.ts';
import { reversalPosting } from '../../services/treasury/corrections/correction.rules.ts';
import { findPosted, readReversed } from '../../services/treasury/corrections/correction.store.ts';
import { reservePosting } from '../../services/treasury/distributions/distribution.rules.ts';
import type { Distribution } from '../../services/treasury/distributions/distribution.table.ts';
import type { Repair } from './repair.ts';

/** Returns the posting of a contribution's transfer. */
export async function contributionPosting({ tx }: Repair, row: ContributionRow): Promise<Posting> {
  const parts = row.kind === 'arrears' ? await listCreditorParts(tx.contribution, row.id) : [];
  return ofAssociation(transferOfPayment(row, parts));
}

/** Returns the posting of a settlement or refund. */
export function planPosting(row: SettlementRow): Posting {
  return ofAssociation(transferOfPlan(row));
}

/** Returns the posting of a payment of a fine. */
export function finePosting(row: FinePaymentRow): Posting {
  return ofAssociation(transferOfFine(row));
}

/** Returns the posting of a submitted sheet. */
export async function sheetPosting({ tx }: Repair, row: SubmissionRow): Promise<Posting> {
  return ofAssociation(transferOfSheet(row, await listLines(tx.contribution, row.id)));
}

function ofAssociation({ legs, ...transfer }: ReturnType<typeof transferOfPlan>): Posting {
  return { ...transfer, chain_id: associationChain(transfer.association_id), movement: { legs } };
}

/**
 * Returns the posting of a recorded transfer, as the service that asked for it stored it. Without such a record, members
 * come from the owners of the wallets, and from the lost events.
 */
export async function recordedPosting(repair: Repair, record: TransferRecord): Promise<Posting> {
  const { tx } = repair;
  const { id } = record;
  switch (record.kind) {
    case 'contribution':
    case 'arrears_payment': {
      const row = await tx.contribution.first<ContributionRow>('SELECT * FROM contributions WHERE id = $1', [id]);
      return row === undefined ? postingOf(repair, record) : contributionPosting(repair, row);
    }
    case 'settlement':
    case 'meeting_refund': {
      const row = await tx.contribution.first<SettlementRow>('SELECT * FROM settlements WHERE id = $1', [id]);
      if (row !== undefined) return planPosting(row);
      return { ...(await postingOf(repair, record)), ...(await savingsOf(repair, record)) };
    }
    case 'fine_payment': {
      const row = await tx.contribution.first<FinePaymentRow>('SELECT * FROM fine_payments WHERE id = $1', [id]);
      return row === undefined ? postingOf(repair, record) : finePosting(row);
    }
    case 'meeting_sheet': {
      const row = await tx.contribution.first<SubmissionRow>('SELECT * FROM sheet_submissions WHERE id = $1', [id]);
      if (row === undefined) return postingOf(repair, record);
      return sheetPosting(repair, row);
    }
    case 'distribution_reserve': {
      const posting = await postingOf(repair, record);
      const amount = record.legs.reduce((sum, leg) => sum + Math.max(leg.amount_minor, 0), 0);
      const { association_id, currency, reference: reason } = record;
      const asked = {
        id,
        association_id,
        currency,
        reason,
        amount: BigInt(amount),
        beneficiary_member_id: posting.member_id,
      };
      return reservePosting(asked as Distribution);
    }
    case 'reversal': {
      // The statements of the same members show it as show what it reverses.
      const reversed = record.reference === null ? undefined : await findPosted(tx.treasury, record.reference);
      if (reversed === undefined || record.association_id === null) return postingOf(repair, record);
      return reversalPosting(id, await readReversed(tx.treasury, record.association_id, reversed.id));
    }
    default:
      return postingOf(repair, record);
  }
}

/** Returns a posting with the record's content. */
async function postingOf(repair: Repair, record: TransferRecord): Promise<Posting> {
  const { id, association_id, kind, currency, reference, legs, metadata = null } = record;
  const wallets = legs.filter(({ account }) => isWalletAccount(account)).map(({ account }) => account);
  const owners = await ownersOf(repair, wallets);
  const payer = legs.find(({ account, amount_minor }) => isWalletAccount(account) && amount_minor < 0);
  const payer_user_id = payer === undefined ? null : (owners.get(payer.account) ?? null);
  const shared = { id, association_id, kind, currency, reference, payer_user_id, metadata };
  if (association_id === null) {
    // Deposits and withdrawals are on the chain of their wallet.
    return {
      ...shared,
      chain_id: wallets[0] ?? '',
      movement: { legs },
      payer_user_id: [...owners.values()][0] ?? null,
      member_id: null,
    };
  }
  const members = await membersOf(repair, association_id, [...owners.values()]);
  const memberAt = (account: string) => members.get(owners.get(account) ?? '');
  const member_id = memberInEvents(repair, record) ?? (payer === undefined ? null : (memberAt(payer.account) ?? null));
  const named = legs.map(({ account, amount_minor }): TransferLeg => {
    const receiver = amount_minor > 0 && kind !== 'contribution' ? memberAt(account) : undefined;
    return { account, amount_minor, ...(receiver === undefined ? {} : { member_id: receiver }) };
  });
  return { ...shared, chain_id: associationChain(association_id), movement: { legs: named }, member_id };
}

/** Returns the member whose payment or request it was, as a lost event says. */
function memberInEvents({ lost }: Repair, { id }: TransferRecord): string | undefined {
  const paid = lost.find('contribution.paid', 'transfer_id', id);
  const fined = lost.find('fine.paid', 'transfer_id', id);
  const recorded = lost.find('cash.recorded', 'cash_deposit_id', id);
  const requested = lost.find('distribution.requested', 'distribution_id', id);
  const distributed = lost.find('distribution.paid', 'transfer_id', id);
  return (
    paid?.event.data.member_id ??
    fined?.event.data.member_id ??
    recorded?.event.data.member_id ??
    requested?.event.data.beneficiary_member_id ??
    distributed?.event.data.beneficiary_member_id
  );
}

/** A round of savings moves the legs of the treasury as savings. */
async function savingsOf(repair: Repair, record: TransferRecord): Promise<{ savings?: SavingsChange }> {
  if (record.kind !== 'settlement' || !(await isOfSavings(repair, record))) return {};
  const at = (name: string) => record.legs.find(({ account }) => account === name)?.amount_minor ?? 0;
  return { savings: { emoney_minor: at('treasury'), cash_minor: at('cash_treasury') } };
}

async function isOfSavings({ tx, lost }: Repair, { id }: TransferRecord): Promise<boolean> {
  const cycle_id = lost.find('meeting.settled', 'settlement_id', id)?.event.data.cycle_id;
  if (cycle_id === undefined || cycle_id === null) return false;
  const started = lost.find('cycle.started', 'cycle_id', cycle_id);
  if (started !== undefined) return started.event.data.order === null;
  const cycle = await tx.contribution.first<{ is_savings: boolean }>(
    'SELECT rotation_order IS NULL AS is_savings FROM cycles WHERE id = $1',
    [cycle_id],
  );
  return cycle?.is_savings === true;
}

/** Returns the owners of wallets, by account. */
export async function ownersOf({ tx }: Repair, accounts: readonly string[]): Promise<Map<string, string>> {
  const rows = await tx.treasury.rows<{ account_id: string; owner_user_id: string }>(
    'SELECT account_id, owner_user_id FROM accounts WHERE account_id = ANY($1::text[])',
    [accounts],
  );
  return new Map(rows.map((row) => [row.account_id, row.owner_user_id]));
}

/** Returns the members of an association, by user. */
export async function membersOf(
  { tx }: Repair,
  association_id: string,
  user_ids: readonly string[],
): Promise<Map<string, string>> {
  const rows = await tx.membership.rows<{ id: string; user_id: string }>(
    'SELECT id, user_id FROM members WHERE association_id = $1 AND user_id = ANY($2::text[])',
    [association_id, user_ids],
  );
  return new Map(rows.map((row) => [row.user_id, row.id]));
}
