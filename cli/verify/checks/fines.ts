import { transferOf } from '../../../services/contribution/fines/fine-payment.saga.ts';
import {
  FINE_IN_FLIGHT,
  FINE_PAYMENT_STATES,
  PAYING,
  type FinePaymentRow,
} from '../../../services/contribution/fines/fine.table.ts';
import { SHEETS_TAKING } from '../../../services/contribution/sheets/sheet.table.ts';
import { FIRST_ID, PAGE_ROWS, type Check } from '../check.ts';
import { pairs } from '../pairs.ts';
import { transferFault, TRANSFERS_BY_ID, unwantedFault, type StoredTransfer } from '../stored-transfer.ts';

const DECIDED_PAYMENTS = `SELECT * FROM fine_payments WHERE id > $1 AND status NOT IN (${PAYING}) ORDER BY id LIMIT $2`;

export const finePaymentsCheck = pairs<FinePaymentRow, StoredTransfer>({
  name: 'fine payments',
  compares: 'each payment of a fine with its transfer',
  from: { service: 'contribution', sql: DECIDED_PAYMENTS },
  to: { service: 'treasury', sql: TRANSFERS_BY_ID },
  differs(row, find) {
    const { id, fine_id, association_id, status } = row;
    const fault = FINE_PAYMENT_STATES[status].posted ? transferFault(transferOf(row), find()) : unwantedFault(find());
    const what = `payment ${id} of fine ${fine_id} of association ${association_id} is ${status}`;
    return fault === null ? null : `${what}, but ${fault}`;
  },
});

/** Fines whose amounts are not those of their payments. */
const FINES = `
    WITH page AS MATERIALIZED (SELECT * FROM fines WHERE id > $1 ORDER BY id LIMIT $2),
    payments AS (
      SELECT fine_id, amount_minor, status = 'paid' AS is_paid, status IN (${FINE_IN_FLIGHT}) AS is_pending
      FROM fine_payments WHERE fine_id IN (SELECT id FROM page)
      UNION ALL
      SELECT l.fine_id, l.amount_minor, s.status = 'confirmed', s.status IN (${SHEETS_TAKING})
      FROM submitted_lines l JOIN sheet_submissions s ON s.id = l.submission_id WHERE l.fine_id IN (SELECT id FROM page)
    ), sums AS (
      SELECT fine_id, sum(amount_minor) FILTER (WHERE is_paid) AS paid_minor,
        sum(amount_minor) FILTER (WHERE is_paid OR is_pending) AS taken_minor
      FROM payments GROUP BY 1
    )
    SELECT page.id, page.association_id, page.paid_minor::text, page.taken_minor::text,
      coalesce(sums.paid_minor, 0)::text AS sum_paid_minor, coalesce(sums.taken_minor, 0)::text AS sum_taken_minor
    FROM page LEFT JOIN sums ON sums.fine_id = page.id ORDER BY page.id`;

interface SummedFine {
  id: string;
  association_id: string;
  paid_minor: string;
  taken_minor: string;
  sum_paid_minor: string;
  sum_taken_minor: string;
}

export const finesCheck: Check = {
  name: 'fines',
  compares: 'each fine with its payments, also those on meeting sheets',
  byId: true,
  async page({ db }, after) {
    const rows = await db.contribution.rows<SummedFine>(FINES, [after ?? FIRST_ID, PAGE_ROWS]);
    const differences = rows
      .filter((row) => row.paid_minor !== row.sum_paid_minor || row.taken_minor !== row.sum_taken_minor)
      .map(({ id, association_id, paid_minor, taken_minor, sum_paid_minor, sum_taken_minor }) => ({
        key: id,
        text:
          `fine ${id} of association ${association_id}: ${paid_minor} is paid and ${taken_minor} taken, and its payments ` +
          `sum to ${sum_paid_minor} and ${sum_taken_minor}`,
      }));
    return { next: rows.length < PAGE_ROWS ? null : (rows.at(-1)?.id ?? null), compared: rows.length, differences };
  },
};
