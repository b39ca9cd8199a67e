import { DEFAULT_RULES } from '../../../lib/contracts/membership.ts';
import { HALF, joinerIn, MANY, MEMBERS, NEWEST_JOINED, nthId, ROWS, type Filling } from './rows.ts';

/** A running rotation with many members, and its first round. */
export const ROTATION = nthId(2 * ROWS + 1);
export const ROUND = nthId(2 * ROWS + 2);
/** A completed cycle with many rounds. */
export const LONG_CYCLE = nthId(1);
/** A meeting outside a cycle that many members have paid for. */
export const COLLECTED = nthId(2 * ROWS + 3);
/** A meeting outside a cycle with many contributions. The newer half was refused. */
export const PAID_OFTEN = nthId(2 * ROWS + 4);
/** The oldest of them: the only one that failed. */
export const CONTRIBUTION_ID = nthId(1);
/** A settled round; all attempts to settle it but one were refused. */
export const SETTLED = nthId(3);

/** What they owe one another: more than a page. */
const PAGE = 25;
/** The oldest fine, and the only one that was waived. */
export const FINE_ID = nthId(1);
/** The oldest sheet of PAID_OFTEN. */
export const SHEET = nthId(HALF + 1);

/** Owes half of the arrears to another member, and the newest of them to CREDITOR, who is owed the other half by others. */
export const DEBTOR = nthId(2 * ROWS + 5);
export const CREDITOR = nthId(2 * ROWS + 6);

const RULES = `'${JSON.stringify(DEFAULT_RULES)}'`;

/** The associations of one user, on the first page of which a cycle runs. */
const JOINED = `generate_series(${String(ROWS - 18)}, ${String(ROWS)}, 2)`;
/** The number of rounds of these cycles, of which the last is the turn of the user. */
const ROUNDS = `CASE n WHEN ${String(ROWS)} THEN ${String(MANY)} ELSE 3 END`;
const CYCLE = `pg_temp.nth(${String(3 * ROWS)} + n)`;
const MEETING = `pg_temp.nth(n * ${String(MEMBERS)} + round)`;
const EACH_ROUND = `${JOINED} AS n, generate_series(1, ${ROUNDS}) AS round`;
const JOINER = joinerIn('n');

/** The newest of these associations has many rounds, hands, and arrears of others. */
const JOINED_CYCLES = [
  `INSERT INTO cycles (id, association_id, number, status, rotation_order, starts_on, frequency, currency,
     contribution_amount_minor, rules, rules_version, hands_total, rounds, created_at, last_attempt_at)
   SELECT ${CYCLE}, pg_temp.nth(n), 1, 'running', 'join', '2024-01-01', 'daily', 'XAF', 1000, ${RULES}, 1, ${ROUNDS},
     ${ROUNDS}, pg_temp.at(n), pg_temp.at(n) FROM ${JOINED} AS n`,
  `INSERT INTO cycle_hands (cycle_id, position, member_id, round)
   SELECT ${CYCLE}, round, CASE round WHEN ${ROUNDS} THEN ${JOINER} ELSE pg_temp.nth(round) END, round FROM ${EACH_ROUND}`,
  `INSERT INTO cycle_members (cycle_id, member_id, hands, due_minor, ordinal)
   SELECT cycle_id, member_id, 1, 1000, position FROM cycle_hands WHERE cycle_id > pg_temp.nth(${String(3 * ROWS)})`,
  `INSERT INTO meetings (id, association_id, cycle_id, round, due_on, status, currency, expected_minor, created_at)
   SELECT ${MEETING}, pg_temp.nth(n), ${CYCLE}, round, '2024-01-01'::date + round, 'open', 'XAF', 1000, pg_temp.at(n)
   FROM ${EACH_ROUND}`,
  `INSERT INTO dues (meeting_id, member_id, due_minor, taken_minor, paid_minor)
   SELECT ${MEETING}, ${JOINER}, 1000, 500, 500 FROM ${EACH_ROUND}`,
  `INSERT INTO arrears (meeting_id, debtor_id, creditor_id, association_id, rank, amount_minor, settled_at)
   SELECT pg_temp.nth(n), CASE n WHEN 1 THEN ${joinerIn(String(ROWS))} ELSE pg_temp.nth(n) END,
     CASE n WHEN 2 THEN ${joinerIn(String(ROWS))} ELSE pg_temp.nth(n + 1) END, '${NEWEST_JOINED}', 1, 1000, pg_temp.at(n)
   FROM generate_series(1, ${String(MANY)}) AS n`,
];

/** Half of the cycles could not start. The first half of the meetings are cancelled, the others are settled rounds. */
export const CONTRIBUTION: Filling = ({ association_id, member_id, user_id, wallet_id }) => [
  `INSERT INTO cycles (id, association_id, number, status, starts_on, frequency, currency, contribution_amount_minor, rules,
     rules_version, hands_total, rounds, refusal, created_at, last_attempt_at)
   SELECT pg_temp.nth(n), '${association_id}', CASE WHEN n % 2 = 1 THEN (n + 1) / 2 END,
     CASE WHEN n % 2 = 1 THEN 'completed' ELSE 'refused' END, '2024-01-01', 'monthly', 'XAF', 1000, ${RULES}, 1,
     CASE WHEN n % 2 = 1 THEN 1 END, ${String(ROWS)},
     CASE WHEN n % 2 = 0 THEN '{"code": "cycle_in_progress", "extras": {}}'::jsonb END, pg_temp.at(n), pg_temp.at(n)
   FROM generate_series(1, ${String(ROWS)}) AS n`,
  `INSERT INTO cycles (id, association_id, number, status, rotation_order, starts_on, frequency, currency,
     contribution_amount_minor, rules, rules_version, hands_total, rounds, created_at, last_attempt_at)
   VALUES ('${ROTATION}', '${association_id}', ${String(ROWS)}, 'running', 'join', '2023-01-01', 'monthly', 'XAF', 1000,
     ${RULES}, 1, ${String(MEMBERS)}, ${String(MEMBERS)}, now(), now())`,
  `INSERT INTO cycle_members (cycle_id, member_id, hands, due_minor, ordinal)
   SELECT '${ROTATION}', pg_temp.nth(n), 1, 1000, n FROM generate_series(1, ${String(MEMBERS)}) AS n`,
  `INSERT INTO cycle_hands (cycle_id, position, member_id, round)
   SELECT '${ROTATION}', n, pg_temp.nth(n), n FROM generate_series(1, ${String(MEMBERS)}) AS n`,
  `INSERT INTO meetings (id, association_id, cycle_id, round, due_on, status, currency, expected_minor, settled_at,
     created_at)
   SELECT pg_temp.nth(n), '${association_id}', CASE WHEN n <= ${String(HALF)} THEN '${LONG_CYCLE}'::uuid END,
     CASE WHEN n <= ${String(HALF)} THEN ${String(HALF + 1)} - n END, '2024-01-01'::date + ${String(ROWS)} - n,
     CASE WHEN n = 1 THEN 'open' WHEN n <= ${String(HALF)} THEN 'settled' ELSE 'cancelled' END, 'XAF', 0,
     CASE WHEN n > 1 AND n <= ${String(HALF)} THEN pg_temp.at(n) END, pg_temp.at(n)
   FROM generate_series(1, ${String(ROWS)}) AS n`,
  `INSERT INTO meetings (id, association_id, cycle_id, round, due_on, status, currency, expected_minor, created_at) VALUES
     ('${ROUND}', '${association_id}', '${ROTATION}', 1, '2023-01-01', 'open', 'XAF', 1000, now()),
     ('${COLLECTED}', '${association_id}', NULL, NULL, '2023-01-02', 'open', 'XAF', 0, now()),
     ('${PAID_OFTEN}', '${association_id}', NULL, NULL, '2023-01-03', 'open', 'XAF', 0, now())`,
  `INSERT INTO dues (meeting_id, member_id, due_minor, taken_minor, paid_minor)
   SELECT meeting_id, pg_temp.nth(n), due_minor, 1000, 1000
   FROM generate_series(1, ${String(MEMBERS)}) AS n,
     (VALUES ('${ROUND}'::uuid, 1000), ('${COLLECTED}', NULL)) AS paid (meeting_id, due_minor)`,
  `INSERT INTO dues (meeting_id, member_id, taken_minor, paid_minor)
   SELECT pg_temp.nth(n), '${member_id}', 0, 0 FROM generate_series(1, ${String(ROWS)}) AS n`,
  `INSERT INTO contributions (id, association_id, meeting_id, member_id, paid_by_member_id, payer_user_id, wallet_id, method,
     amount_minor, currency, status, outstanding_minor, created_at, decided_at, last_attempt_at)
   SELECT pg_temp.nth(n), '${association_id}', '${PAID_OFTEN}', '${member_id}', '${member_id}', '${user_id}',
     '${wallet_id}', 'wallet', 1, 'XAF', CASE WHEN n = 1 THEN 'failed' WHEN n > ${String(HALF)} THEN 'refused' ELSE 'paid' END, 0,
     pg_temp.at(n), pg_temp.at(n), pg_temp.at(n)
   FROM generate_series(1, ${String(ROWS)}) AS n`,
  `INSERT INTO settlements (id, association_id, meeting_id, status, currency, collected_minor, expected_minor,
     paid_out_minor, to_treasury_minor, payouts, legs, rules_version, settled_by_member_id, settled_at, created_at, last_attempt_at)
   SELECT pg_temp.nth(n), '${association_id}', '${SETTLED}', CASE WHEN n = 1 THEN 'settled' ELSE 'refused' END, 'XAF', 0, 0,
     0, 0, '[]', '[]', 1, '${member_id}', CASE WHEN n = 1 THEN pg_temp.at(n) END, pg_temp.at(n), pg_temp.at(n)
   FROM generate_series(1, ${String(ROWS)}) AS n`,
  // The older half is paid; a few of it are for one meeting.
  `INSERT INTO fines (id, association_id, member_id, code, meeting_id, period, currency, amount_minor, taken_minor, paid_minor,
     status, rules_version, assessed_at, waived_by_approval_id)
   SELECT pg_temp.nth(n), '${association_id}', CASE WHEN n % 2 = 0 THEN '${DEBTOR}'::uuid ELSE pg_temp.nth(3) END, 'late',
     CASE WHEN n <= ${String(PAGE)} THEN '${SETTLED}'::uuid WHEN n <= ${String(HALF)} THEN pg_temp.nth(n) END, n, 'XAF', 500,
     CASE WHEN n = 1 OR n > ${String(HALF)} THEN 0 ELSE 500 END, CASE WHEN n = 1 OR n > ${String(HALF)} THEN 0 ELSE 500 END,
     CASE WHEN n = 1 THEN 'waived' WHEN n > ${String(HALF)} THEN 'due' ELSE 'paid' END, 1, pg_temp.at(n),
     CASE WHEN n = 1 THEN pg_temp.nth(1) END
   FROM generate_series(1, ${String(ROWS)}) AS n`,
  `INSERT INTO attendance (meeting_id, member_id, status, recorded_by_member_id, recorded_at)
   SELECT '${SETTLED}', pg_temp.nth(n), 'present', '${member_id}', pg_temp.at(n)
   FROM generate_series(1, ${String(MEMBERS)}) AS n`,
  `INSERT INTO sheets (id, association_id, meeting_id, currency, lines, attendance, counted_minor, box_minor, sheet_hash,
     recorded_by_member_id, submission_id, created_at)
   SELECT pg_temp.nth(n), '${association_id}', CASE WHEN n > ${String(HALF)} THEN '${PAID_OFTEN}'::uuid ELSE pg_temp.nth(n) END,
     'XAF', '[]', '[]', 0, 0, '', '${member_id}', pg_temp.nth(${String(5 * ROWS)} + n), pg_temp.at(n)
   FROM generate_series(1, ${String(ROWS)}) AS n`,
  // The last sheet of a meeting with many sheets is its only confirmed one.
  `INSERT INTO sheet_submissions (id, sheet_id, association_id, meeting_id, currency, status, approval_id,
     submitted_by_member_id, decision, submitted_at, decided_at, last_attempt_at)
   SELECT submission_id, id, association_id, meeting_id, currency, CASE WHEN id = '${SHEET}' THEN 'confirmed' ELSE 'rejected' END,
     id, recorded_by_member_id, CASE WHEN id = '${SHEET}' THEN 'approved' ELSE 'rejected' END, created_at, created_at,
     created_at
   FROM sheets`,
  ...JOINED_CYCLES,
  // The older half is paid.
  `INSERT INTO arrears (meeting_id, debtor_id, creditor_id, association_id, rank, amount_minor, taken_minor, paid_minor,
     settled_at)
   SELECT pg_temp.nth(n),
     CASE WHEN n % 2 = 0 OR n > ${String(2 * ROWS - PAGE)} THEN '${DEBTOR}'::uuid ELSE pg_temp.nth(3) END,
     CASE WHEN n % 2 = 1 OR n > ${String(2 * ROWS - PAGE)} THEN '${CREDITOR}'::uuid ELSE pg_temp.nth(4) END,
     '${association_id}', 0, 1000, CASE WHEN n > ${String(ROWS)} THEN 0 ELSE 1000 END,
     CASE WHEN n > ${String(ROWS)} THEN 0 ELSE 1000 END, pg_temp.at(n)
   FROM generate_series(1, ${String(2 * ROWS)}) AS n`,
];
