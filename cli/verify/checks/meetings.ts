import { poolAccount, treasuryAccount } from '../../../lib/contracts/accounts.ts';
import { sqlList } from '../../../lib/saga/states.ts';
import { MEETING_STATES, OPEN, type MeetingStatus } from '../../../services/contribution/meetings/meeting.table.ts';
import { IN_FLIGHT, PAID, PENDING } from '../../../services/contribution/payments/contribution.table.ts';
import { PLANNED, SETTLED } from '../../../services/contribution/settlement/settlement.table.ts';
import { accountIdOf, associationChain } from '../../../services/treasury/ledger/chain.rules.ts';
import { FIRST_ID, PAGE_ROWS, type Check, type Difference, type Sources } from '../check.ts';
import { pairs } from '../pairs.ts';

const CANCELLED = sqlList(['cancelled'] satisfies MeetingStatus[]);

/** Dues whose amounts are not those of their contributions. Cancelling a meeting resets them. */
const DUES = {
  name: 'verify.dues',
  text: `
    WITH page AS MATERIALIZED (SELECT id, status FROM meetings WHERE id > $1 ORDER BY id LIMIT $2),
    paid AS (
      SELECT c.meeting_id, c.member_id,
        sum(c.amount_minor) FILTER (WHERE c.status IN (${PAID})) AS paid_minor, sum(c.amount_minor) AS taken_minor
      FROM page JOIN contributions c ON c.meeting_id = page.id
      WHERE c.kind = 'pool' AND c.status IN (${PAID}, ${IN_FLIGHT}) AND page.status NOT IN (${CANCELLED}) GROUP BY 1, 2
    ), compared AS (
      SELECT d.meeting_id, d.member_id, d.paid_minor, d.taken_minor,
        coalesce(paid.paid_minor, 0)::bigint AS sum_paid_minor, coalesce(paid.taken_minor, 0)::bigint AS sum_taken_minor
      FROM page JOIN dues d ON d.meeting_id = page.id LEFT JOIN paid USING (meeting_id, member_id)
    )
    SELECT (SELECT max(id::text) FROM page) AS last_id, (SELECT count(*)::integer FROM page) AS meetings,
      coalesce(json_agg(wrong), '[]') AS wrong
    FROM (SELECT meeting_id, member_id, paid_minor::text, taken_minor::text, sum_paid_minor::text, sum_taken_minor::text
          FROM compared WHERE paid_minor <> sum_paid_minor OR taken_minor <> sum_taken_minor) AS wrong`,
};

/** Arrears whose amounts are not those of the payments and settlements that paid them, or of the settlement they are from. */
const ARREARS = {
  name: 'verify.arrears',
  text: `
    WITH page AS MATERIALIZED (SELECT id FROM meetings WHERE id > $1 ORDER BY id LIMIT $2),
    payments AS (
      SELECT x.meeting_id, x.debtor_id, x.creditor_id, x.amount_minor,
        c.status IN (${PAID}) IS TRUE OR s.status IN (${SETTLED}) IS TRUE AS is_paid,
        c.status IN (${PENDING}) IS TRUE OR s.status IN (${PLANNED}) IS TRUE AS is_pending
      FROM page JOIN arrears_allocations x ON x.meeting_id = page.id
      LEFT JOIN contributions c ON c.id = x.payment_id LEFT JOIN settlements s ON s.id = x.payment_id
    ), paid AS (
      SELECT meeting_id, debtor_id, creditor_id,
        sum(amount_minor) FILTER (WHERE is_paid) AS paid_minor,
        sum(amount_minor) FILTER (WHERE is_paid OR is_pending) AS taken_minor
      FROM payments GROUP BY 1, 2, 3
    ), claims AS (
      SELECT s.meeting_id, claim.debtor_id, claim.creditor_id, claim.amount_minor
      FROM page JOIN settlements s ON s.meeting_id = page.id AND s.status IN (${SETTLED}),
        jsonb_to_recordset(s.claims) AS claim (debtor_id uuid, creditor_id uuid, amount_minor bigint)
    ), kept AS (SELECT a.* FROM page JOIN arrears a ON a.meeting_id = page.id),
    compared AS (
      SELECT meeting_id, debtor_id, creditor_id, kept.amount_minor, claims.amount_minor AS claimed_minor,
        kept.paid_minor, coalesce(paid.paid_minor, 0) AS sum_paid_minor,
        kept.taken_minor, coalesce(paid.taken_minor, 0) AS sum_taken_minor
      FROM kept FULL JOIN claims USING (meeting_id, debtor_id, creditor_id)
      LEFT JOIN paid USING (meeting_id, debtor_id, creditor_id)
    )
    SELECT (SELECT max(id::text) FROM page) AS last_id, (SELECT count(*)::integer FROM page) AS meetings,
      coalesce(json_agg(wrong), '[]') AS wrong
    FROM (SELECT meeting_id, debtor_id, creditor_id, amount_minor::text, claimed_minor::text, paid_minor::text,
            sum_paid_minor::text, taken_minor::text, sum_taken_minor::text
          FROM compared
          WHERE amount_minor IS DISTINCT FROM claimed_minor OR paid_minor IS DISTINCT FROM sum_paid_minor
            OR taken_minor IS DISTINCT FROM sum_taken_minor) AS wrong`,
};

interface WrongDue {
  meeting_id: string;
  member_id: string;
  paid_minor: string;
  taken_minor: string;
  sum_paid_minor: string;
  sum_taken_minor: string;
}

interface WrongArrear {
  meeting_id: string;
  debtor_id: string;
  creditor_id: string;
  amount_minor: string | null;
  claimed_minor: string | null;
  paid_minor: string | null;
  sum_paid_minor: string;
  taken_minor: string | null;
  sum_taken_minor: string;
}

export const duesCheck = withinMeetings<WrongDue>('dues', 'each due with its contributions', DUES, (row) => ({
  key: `${row.meeting_id} ${row.member_id}`,
  text:
    `the due of member ${row.member_id} for meeting ${row.meeting_id} says paid ${row.paid_minor} and taken ` +
    `${row.taken_minor}, and its contributions sum to ${row.sum_paid_minor} and ${row.sum_taken_minor}`,
}));

export const arrearsCheck = withinMeetings<WrongArrear>(
  'arrears',
  'arrears with the settlements that left them, and with their repayments',
  ARREARS,
  (row) => ({
    key: `${row.meeting_id} ${row.debtor_id} ${row.creditor_id}`,
    text:
      `arrears of ${row.debtor_id} to ${row.creditor_id} from meeting ${row.meeting_id}: amount ` +
      `${String(row.amount_minor)}, by the settlement ${String(row.claimed_minor)}; paid ${String(row.paid_minor)}, by ` +
      `payments ${row.sum_paid_minor}; taken ${String(row.taken_minor)}, by payments ${row.sum_taken_minor}`,
  }),
);

/** Builds a check of rows of the contribution service that belong to meetings. */
function withinMeetings<Wrong>(
  name: string,
  compares: string,
  sql: { name: string; text: string },
  differenceOf: (row: Wrong) => Difference,
): Check {
  return {
    name,
    compares,
    // A meeting may change until it is settled, long after it was created.
    byId: false,
    async page({ db }, after) {
      const found = await db.contribution.first<{ last_id: string | null; meetings: number; wrong: Wrong[] }>(sql, [
        after ?? FIRST_ID,
        PAGE_ROWS,
      ]);
      const { last_id = null, meetings: compared = 0, wrong = [] } = found ?? {};
      return { next: compared < PAGE_ROWS ? null : last_id, compared, differences: wrong.map(differenceOf) };
    },
  };
}

const COLLECTED = {
  name: 'verify.collected',
  text: `
    SELECT m.id, m.association_id, m.status,
      coalesce(sum(c.amount_minor) FILTER (WHERE c.method = 'wallet' AND c.status IN (${PAID})), 0)::bigint AS emoney,
      coalesce(sum(c.amount_minor) FILTER (WHERE c.method = 'cash' AND c.status IN (${PAID})), 0)::bigint AS cash,
      coalesce(sum(c.amount_minor) FILTER (WHERE c.method = 'wallet'), 0)::bigint AS emoney_max,
      coalesce(sum(c.amount_minor) FILTER (WHERE c.method = 'cash'), 0)::bigint AS cash_max
    FROM meetings m
    LEFT JOIN contributions c ON c.meeting_id = m.id AND c.kind = 'pool' AND c.status IN (${PAID}, ${IN_FLIGHT})
      AND m.status IN (${OPEN})
    WHERE m.id = ANY($1::uuid[]) GROUP BY m.id`,
};

interface Collected {
  id: string;
  association_id: string;
  status: MeetingStatus;
  /** What is paid into the pools of an open meeting, and what may be if all pending payments are posted. */
  emoney: bigint;
  cash: bigint;
  emoney_max: bigint;
  cash_max: bigint;
}

const MONIES = ['emoney', 'cash'] as const;

/** An open meeting's pools hold its paid contributions, and perhaps pending ones; those of a finished meeting are empty. */
export const poolsCheck: Check = {
  name: 'pools',
  compares: 'the pools of each meeting with its contributions; those of a finished meeting are empty',
  byId: false,
  async page({ db }, after) {
    const listed = await db.contribution.rows<{ id: string }>(
      'SELECT id FROM meetings WHERE id > $1 ORDER BY id LIMIT $2',
      [after ?? FIRST_ID, PAGE_ROWS],
    );
    const ids = listed.map(({ id }) => id);
    // The pools are read between two reads of the contributions, so that payments in the meantime are not differences.
    const before = await db.contribution.rows<Collected>(COLLECTED, [ids]);
    const balances = await readPools(db, before);
    const later = new Map((await db.contribution.rows<Collected>(COLLECTED, [ids])).map((row) => [row.id, row]));
    const differences = before.flatMap((row) => {
      const now = later.get(row.id);
      // While a meeting is settling, its pools may be full or empty.
      const isMoving = now === undefined || now.status !== row.status || isBetween(row.status);
      return isMoving ? [] : poolDifferences(row, now, balances);
    });
    return { next: ids.length < PAGE_ROWS ? null : (ids.at(-1) ?? null), compared: ids.length, differences };
  },
};

/** Whether the meeting is neither open nor finished. */
function isBetween(status: MeetingStatus): boolean {
  const { live, pays } = MEETING_STATES[status];
  return live && pays === null;
}

const poolOf = ({ association_id, id }: Collected, money: (typeof MONIES)[number]): string =>
  accountIdOf(associationChain(association_id), poolAccount(id, money));

async function readPools({ treasury }: Sources['db'], meetings: readonly Collected[]): Promise<Map<string, bigint>> {
  const account_ids = meetings.flatMap((meeting) => MONIES.map((money) => poolOf(meeting, money)));
  const rows = await treasury.rows<{ account_id: string; balance: bigint }>(
    'SELECT account_id, balance FROM accounts WHERE account_id = ANY($1::text[])',
    [account_ids],
  );
  return new Map(rows.map((row) => [row.account_id, row.balance]));
}

function poolDifferences(before: Collected, now: Collected, balances: ReadonlyMap<string, bigint>): Difference[] {
  return MONIES.flatMap((money) => {
    const account_id = poolOf(before, money);
    const balance = balances.get(account_id) ?? 0n;
    const [least, most] = [before[money], now[`${money}_max`]];
    if (least <= balance && balance <= most) return [];
    const range = least === most ? String(least) : `${String(least)} to ${String(most)}`;
    const text =
      `meeting ${before.id} of association ${before.association_id} is ${before.status}: its contributions make ${range}, ` +
      `and its account ${account_id} has ${String(balance)}`;
    return [{ key: account_id, text }];
  });
}

interface SavingsRow {
  id: string;
  emoney: bigint;
  cash: bigint;
  planned: boolean;
}

interface TreasurySavings {
  id: string;
  emoney: bigint;
  cash: bigint;
}

export const savingsCheck = pairs<SavingsRow, TreasurySavings>({
  name: 'savings',
  compares: 'the savings in each treasury with its settlements',
  byId: false,
  from: {
    service: 'contribution',
    sql: `SELECT association_id AS id, bool_or(status IN (${PLANNED})) AS planned,
            coalesce(sum(savings_emoney_minor) FILTER (WHERE status IN (${SETTLED})), 0)::bigint AS emoney,
            coalesce(sum(savings_cash_minor) FILTER (WHERE status IN (${SETTLED})), 0)::bigint AS cash
          FROM settlements WHERE association_id > $1 GROUP BY 1 ORDER BY 1 LIMIT $2`,
  },
  to: {
    service: 'treasury',
    sql: `SELECT association_id AS id, coalesce(sum(savings) FILTER (WHERE money = 'emoney'), 0)::bigint AS emoney,
            coalesce(sum(savings) FILTER (WHERE money = 'cash'), 0)::bigint AS cash
          FROM accounts WHERE association_id = ANY($1::uuid[]) AND name IN ('${treasuryAccount()}', '${treasuryAccount('cash')}')
          GROUP BY 1`,
  },
  differs({ id, emoney, cash, planned }, find) {
    const kept = find() ?? { emoney: 0n, cash: 0n };
    if (planned || (kept.emoney === emoney && kept.cash === cash)) return null;
    const settled = `the settlements of association ${id} leave savings of ${String(emoney)} and ${String(cash)} in cash`;
    return `${settled}, and its treasury has ${String(kept.emoney)} and ${String(kept.cash)}`;
  },
});
