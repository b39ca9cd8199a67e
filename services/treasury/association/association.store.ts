import type { Remains } from '../../../lib/contracts/approvals.ts';
import type { Db } from '../../../lib/db/db.ts';
import { sqlList, statesWhere, type StateTable } from '../../../lib/saga/states.ts';
import { CASH_DEPOSIT_STATES } from '../cash/cash-deposit.table.ts';
import { CORRECTION_STATES } from '../corrections/correction.table.ts';
import { DISTRIBUTION_STATES } from '../distributions/distribution.table.ts';
import { kindsTable } from '../ledger/transfer-lists.store.ts';
import type { AccountHolding } from './balances.rules.ts';

const ACCOUNT_HOLDINGS = {
  name: 'treasury.account_holdings',
  text: 'SELECT name, balance, savings FROM accounts WHERE association_id = $1 ORDER BY name',
};

/** Reads the balances and savings of an association's accounts, by account name. */
export async function readHoldings(db: Db, association_id: string): Promise<Map<string, AccountHolding>> {
  const rows = await db.rows<AccountHolding & { name: string }>(ACCOUNT_HOLDINGS, [association_id]);
  return new Map(rows.map((row) => [row.name, row]));
}

const MOVED_AFTER = `
  WITH RECURSIVE ${kindsTable('NULL')}
  SELECT leg ->> 'account' AS name, sum((leg ->> 'amount_minor')::bigint)::bigint AS amount
  FROM kinds CROSS JOIN LATERAL (
    SELECT legs FROM transfers
    WHERE association_id = $1 AND kind = kinds.wanted AND posted_at > $2 AND seq IS NOT NULL OFFSET 0
  ) AS later CROSS JOIN LATERAL json_array_elements(legs) AS leg
  GROUP BY name`;

/** Reads what the accounts of an association have received after an instant, in minor units, by account name. */
export async function readMovedAfter(db: Db, association_id: string, at: Date): Promise<Map<string, bigint>> {
  const rows = await db.rows<{ name: string; amount: bigint }>(MOVED_AFTER, [association_id, at]);
  return new Map(rows.map(({ name, amount }) => [name, amount]));
}

const SETTLED_AFTER = `
  SELECT id FROM transfers
  WHERE association_id = $1 AND kind = 'settlement' AND posted_at > $2 AND seq IS NOT NULL`;

/** Lists the ids of an association's settlements after an instant. Only they change savings. */
export async function listSettledAfter(db: Db, association_id: string, at: Date): Promise<string[]> {
  return (await db.rows<{ id: string }>(SETTLED_AFTER, [association_id, at])).map(({ id }) => id);
}

/** Returns the states of a saga that the queries below distinguish, as lists for `IN`. */
function listsOf<S extends string>(states: StateTable<S, { undecided: boolean; obliges: boolean }>) {
  return {
    undecided: sqlList(statesWhere(states, ({ undecided }) => undecided)),
    obliging: sqlList(statesWhere(states, ({ obliges }) => obliges)),
    ended: sqlList(statesWhere(states, ({ undecided, obliges }) => !undecided && !obliges)),
  };
}

const cash = listsOf(CASH_DEPOSIT_STATES);
const distribution = listsOf(DISTRIBUTION_STATES);
const correction = listsOf(CORRECTION_STATES);

const REMAINS_OF = `
  WITH open_requests AS (
    SELECT status IN (${cash.undecided}) AS undecided FROM cash_deposits
    WHERE association_id = $1 AND status NOT IN (${cash.ended})
    UNION ALL
    SELECT status IN (${distribution.undecided}) FROM distributions
    WHERE association_id = $1 AND status NOT IN (${distribution.ended})
    UNION ALL
    SELECT status IN (${correction.undecided}) FROM corrections
    WHERE association_id = $1 AND status NOT IN (${correction.ended}))
  SELECT CASE
    WHEN EXISTS (SELECT FROM accounts WHERE association_id = $1 AND balance <> 0)
      OR EXISTS (SELECT FROM open_requests WHERE NOT undecided) THEN 'something'
    WHEN EXISTS (SELECT FROM open_requests) THEN 'undecided'
    ELSE 'nothing' END AS remains`;

/**
 * Reads whether the association still has balances or open requests. The result is `undecided` if it has only requests
 * that are not accepted yet: they may still be refused because of the closure, so the closure must not fail because of
 * them.
 */
export async function readRemains(db: Db, association_id: string): Promise<Remains> {
  const found = await db.first<{ remains: Remains }>(REMAINS_OF, [association_id]);
  return found?.remains ?? 'something';
}

const HAS_OBLIGATIONS = `
  SELECT EXISTS (SELECT FROM cash_deposits WHERE association_id = $1 AND member_id = $2
                   AND status IN (${cash.obliging}))
      OR EXISTS (SELECT FROM distributions WHERE association_id = $1 AND beneficiary_member_id = $2
                   AND status IN (${distribution.obliging}))
      OR EXISTS (SELECT FROM corrections WHERE association_id = $1 AND member_id = $2
                   AND status IN (${correction.obliging})) AS pending`;

/** Whether a cash deposit, distribution or correction of the member is still open. */
export async function hasObligations(db: Db, association_id: string, member_id: string): Promise<boolean> {
  const found = await db.first<{ pending: boolean }>(HAS_OBLIGATIONS, [association_id, member_id]);
  return found?.pending === true;
}
