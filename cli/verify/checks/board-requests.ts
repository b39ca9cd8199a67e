/** Cash deposits and distributions, whose transfers are in the same database. */
import type { ContributionStatus } from '../../../services/contribution/payments/contribution.table.ts';
import { cashDepositPosting } from '../../../services/treasury/cash/cash-deposit.rules.ts';
import type { CashDeposit, CashDepositState } from '../../../services/treasury/cash/cash-deposit.table.ts';
import {
  paymentPosting,
  releasePosting,
  reservedBy,
  returnPosting,
} from '../../../services/treasury/distributions/distribution.rules.ts';
import type { Distribution, DistributionState } from '../../../services/treasury/distributions/distribution.table.ts';
import type { Posting } from '../../../services/treasury/ledger/posting.rules.ts';
import { pairs } from '../pairs.ts';
import { transferFault, TRANSFERS_BY_ID, unwantedFault, type StoredTransfer } from '../stored-transfer.ts';

/**
 * For each state of a deposit: whether its cash has been posted, and the states that its contribution to a meeting may have
 * then; `absent` if there may be none. States in which the two change are not compared.
 */
const CASH: Record<CashDepositState, { posted: boolean; contribution: (ContributionStatus | 'absent')[] } | null> = {
  taking: null,
  recording: null,
  withdrawing: null,
  confirming: null,
  dropping: null,
  pending_approval: { posted: false, contribution: ['pending'] },
  crediting: { posted: true, contribution: ['pending', 'paid'] },
  confirmed: { posted: true, contribution: ['paid', 'reversing', 'reversed'] },
  reversed: { posted: true, contribution: ['reversed'] },
  rejected: { posted: false, contribution: ['failed'] },
  refused: { posted: false, contribution: ['failed', 'absent'] },
};

const DEPOSITS = 'SELECT * FROM cash_deposits WHERE id > $1 ORDER BY id LIMIT $2';

export const cashCheck = pairs<CashDeposit, StoredTransfer>({
  name: 'cash',
  compares: 'each cash deposit with its transfer',
  from: { service: 'treasury', sql: DEPOSITS },
  to: { service: 'treasury', sql: TRANSFERS_BY_ID },
  differs(deposit, find) {
    const expected = CASH[deposit.status];
    if (expected === null) return null;
    const fault = expected.posted
      ? transferFault(expectedOf(cashDepositPosting(deposit)), find())
      : unwantedFault(find());
    return fault === null ? null : `${depositText(deposit)}, but ${fault}`;
  },
});

interface CashContribution {
  id: string;
  status: ContributionStatus;
  amount_minor: bigint;
}

export const cashForMeetingsCheck = pairs<CashDeposit, CashContribution>({
  name: 'cash for meetings',
  compares: 'each cash deposit for a meeting with its contribution',
  from: {
    service: 'treasury',
    sql: 'SELECT * FROM cash_deposits WHERE id > $1 AND meeting_id IS NOT NULL ORDER BY id LIMIT $2',
  },
  to: {
    service: 'contribution',
    sql: {
      name: 'verify.cash_contributions',
      text: `SELECT id, status, amount_minor FROM contributions WHERE id = ANY($1::uuid[]) AND method = 'cash'`,
    },
  },
  differs(deposit, find) {
    const expected = CASH[deposit.status];
    if (expected === null) return null;
    const contribution = find();
    const status = contribution?.status ?? 'absent';
    const what = `${depositText(deposit)} for meeting ${String(deposit.meeting_id)}`;
    if (!expected.contribution.includes(status)) return `${what}, but its contribution is ${status}`;
    if (contribution === undefined || contribution.amount_minor === deposit.amount) return null;
    return `${what}, but its contribution is of ${String(contribution.amount_minor)}`;
  },
});

function depositText({ id, association_id, amount, currency, status }: CashDeposit): string {
  return `cash deposit ${id} of ${String(amount)} ${currency} to association ${association_id} is ${status}`;
}

/** What has been posted for a distribution. Payment and release share an id; `returned` is the release after a refusal. */
interface Postings {
  reserved: boolean;
  closed: 'paid' | 'released' | null;
  returned: boolean;
}

/** States in which a distribution and its transfers change are not compared. */
const DISTRIBUTIONS: Record<DistributionState, Postings | null> = {
  reserving: null,
  withdrawing: null,
  paying: null,
  releasing: null,
  failing: null,
  // Refused before anything was reserved, or after it: compared by distributionFault().
  refused: null,
  requesting: { reserved: true, closed: null, returned: false },
  pending_approval: { reserved: true, closed: null, returned: false },
  paid: { reserved: true, closed: 'paid', returned: false },
  // Its reversals are compared with its correction.
  reversed: { reserved: true, closed: 'paid', returned: false },
  rejected: { reserved: true, closed: 'released', returned: false },
  failed: { reserved: true, closed: null, returned: true },
};

export const distributionsCheck = pairs<Distribution, StoredTransfer>({
  name: 'distributions',
  compares: 'each distribution with its reserve, payment and release',
  from: {
    service: 'treasury',
    sql: 'SELECT * FROM distributions WHERE id > $1 ORDER BY id LIMIT $2',
  },
  to: { service: 'treasury', sql: TRANSFERS_BY_ID },
  idsIn: ({ id, closing_transfer_id, return_transfer_id }) => [id, closing_transfer_id, return_transfer_id],
  differs(row, find) {
    const { id, association_id, amount, currency, status } = row;
    const fault = distributionFault(row, find);
    if (fault === null) return null;
    return `distribution ${id} of ${String(amount)} ${currency} of association ${association_id} is ${status}, but ${fault}`;
  },
});

function distributionFault(row: Distribution, find: (id?: string) => StoredTransfer | undefined): string | null {
  const [reserve, closing, returned] = [find(), find(row.closing_transfer_id), find(row.return_transfer_id)];
  if (row.status === 'refused') {
    const isOpen = reserve?.posted === true && closing?.posted !== true;
    return isOpen ? `its reserve ${row.id} was not released` : null;
  }
  const expected = DISTRIBUTIONS[row.status];
  if (expected === null) return null;
  const close = expected.closed === 'paid' ? paymentPosting(row) : releasePosting(row);
  return (
    reserveFault(row, reserve) ??
    (expected.closed === null ? unwantedFault(closing) : transferFault(expectedOf(close), closing)) ??
    (expected.returned ? transferFault(expectedOf(returnPosting(row)), returned) : unwantedFault(returned))
  );
}

function reserveFault({ id, reserved_emoney, reserved_cash }: Distribution, reserve: StoredTransfer | undefined) {
  if (reserve?.posted !== true) return `the treasury has no transfer distribution_reserve ${id}`;
  const by_transfer = reservedBy(reserve.legs);
  if (by_transfer.reserved_emoney === reserved_emoney && by_transfer.reserved_cash === reserved_cash) return null;
  const moved = `${String(by_transfer.reserved_emoney)} and ${String(by_transfer.reserved_cash)} in cash`;
  return `its transfer reserved ${moved}, not ${String(reserved_emoney)} and ${String(reserved_cash)} in cash`;
}

function expectedOf({ id, kind, association_id, currency, movement }: Posting) {
  return { id, kind, association_id, currency, legs: 'legs' in movement ? movement.legs : [] };
}
