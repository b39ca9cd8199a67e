import type { TableService } from '../../../lib/config/service-names.ts';
import { TRANSFER_KINDS, type TransferKind } from '../../../lib/contracts/treasury.ts';
import { FIRST_ID, PAGE_ROWS, type Check } from '../check.ts';

/** The record for which a transfer was posted. */
interface Owner {
  /** What it is called in a difference. */
  what: string;
  service: TableService;
  /** Selects those of the transfers in $1 that have such a record, as `id`. */
  sql: string;
}

const CONTRIBUTION: Owner = {
  what: 'contribution',
  service: 'contribution',
  sql: 'SELECT id FROM contributions WHERE id = ANY($1::uuid[])',
};
const PLAN: Owner = {
  what: 'settlement',
  service: 'contribution',
  sql: 'SELECT id FROM settlements WHERE id = ANY($1::uuid[])',
};
const CASH_DEPOSIT: Owner = {
  what: 'cash deposit',
  service: 'treasury',
  sql: 'SELECT id FROM cash_deposits WHERE id = ANY($1::uuid[])',
};
const RESERVE: Owner = {
  what: 'distribution',
  service: 'treasury',
  sql: 'SELECT id FROM distributions WHERE id = ANY($1::uuid[])',
};
const CLOSING: Owner = {
  what: 'distribution',
  service: 'treasury',
  sql: `SELECT closing_transfer_id AS id FROM distributions WHERE closing_transfer_id = ANY($1::uuid[])
        UNION ALL SELECT return_transfer_id FROM distributions WHERE return_transfer_id = ANY($1::uuid[])`,
};
const FINE_PAYMENT: Owner = {
  what: 'payment of a fine',
  service: 'contribution',
  sql: 'SELECT id FROM fine_payments WHERE id = ANY($1::uuid[])',
};
const CORRECTION: Owner = {
  what: 'correction',
  service: 'treasury',
  sql: `SELECT id FROM corrections WHERE id = ANY($1::uuid[])
        UNION ALL SELECT reserve_reversal_id FROM corrections WHERE reserve_reversal_id = ANY($1::uuid[])`,
};
const SHEET: Owner = {
  what: 'submitted sheet',
  service: 'contribution',
  sql: 'SELECT id FROM sheet_submissions WHERE id = ANY($1::uuid[])',
};
const FUNDING: Owner = {
  what: 'deposit or withdrawal with a reference',
  service: 'treasury',
  sql: 'SELECT transfer_id AS id FROM wallet_funding WHERE transfer_id = ANY($1::uuid[])',
};

/** The records that have a transfer of each kind. Cash for a meeting is a deposit and a contribution. */
const OWNERS_OF: Record<TransferKind, readonly Owner[]> = {
  wallet_deposit: [FUNDING],
  wallet_withdrawal: [FUNDING],
  contribution: [CONTRIBUTION],
  arrears_payment: [CONTRIBUTION],
  cash_contribution: [CONTRIBUTION, CASH_DEPOSIT],
  settlement: [PLAN],
  meeting_refund: [PLAN],
  cash_deposit: [CASH_DEPOSIT],
  distribution_reserve: [RESERVE],
  distribution_payment: [CLOSING],
  distribution_release: [CLOSING],
  fine_payment: [FINE_PAYMENT],
  meeting_sheet: [SHEET],
  reversal: [CORRECTION],
};

const POSTED = {
  name: 'verify.posted',
  text: `SELECT id, kind, association_id FROM transfers WHERE id > $1 AND seq IS NOT NULL ORDER BY id LIMIT $2`,
};

interface Posted {
  id: string;
  kind: TransferKind;
  association_id: string | null;
}

/** Their states and amounts are compared by the checks that begin with the owners. */
export const ownersCheck: Check = {
  name: 'owners',
  compares:
    'each transfer with the contribution, settlement, deposit, distribution, fine, sheet or correction that it was posted for',
  byId: true,
  async page({ db }, after) {
    const rows = await db.treasury.rows<Posted>(POSTED, [after ?? FIRST_ID, PAGE_ROWS]);
    const byKind = Map.groupBy(rows, ({ kind }) => kind);
    const asked = TRANSFER_KINDS.flatMap((kind) => {
      const posted = byKind.get(kind) ?? [];
      return posted.length === 0 ? [] : OWNERS_OF[kind].map((owner) => ({ owner, posted }));
    });
    const differences = await Promise.all(
      asked.map(async ({ owner: { what, service, sql }, posted }) => {
        const found = await db[service].rows<{ id: string }>(sql, [posted.map(({ id }) => id)]);
        const ids = new Set(found.map(({ id }) => id));
        return posted
          .filter(({ id }) => !ids.has(id))
          .map(({ id, kind, association_id }) => {
            const of = association_id === null ? '' : ` of association ${association_id}`;
            return {
              key: `${id} ${what}`,
              text: `transfer ${id} (${kind})${of} was posted, but ${service} has no ${what} for it`,
            };
          });
      }),
    );
    const next = rows.length < PAGE_ROWS ? null : (rows.at(-1)?.id ?? null);
    return { next, compared: rows.length, differences: differences.flat() };
  },
};
