import { DEFAULT_RULES } from '../../../lib/contracts/membership.ts';
import { HALF, ROWS, type Filling } from './rows.ts';

/** A user with many associations. */
export const JOINER = 'joiner';

/** SQL of the third of the associations in which one is: 0 for the oldest. */
const THIRD = `(n - 1) * 3 / ${String(ROWS)}`;

/**
 * Each pair of a type, a currency and a frequency has a third of the associations, but no association has all three. Half of
 * the members are former members, half have a role of the board, and none is both.
 */
export const MEMBERSHIP: Filling = ({ association_id, member_id }) => [
  `INSERT INTO associations (id, name, type, status, currency, contribution_amount_minor, contribution_frequency,
     max_members, is_public, member_count, rules, rules_version, created_at, search_text)
   SELECT pg_temp.nth(n), 'Njangi ' || n,
     CASE WHEN n = 1 THEN 'solidarity' WHEN ${THIRD} = 0 THEN 'savings' ELSE 'tontine' END, 'active',
     CASE WHEN n = 1 THEN 'GHS' WHEN ${THIRD} = 1 THEN 'EUR' ELSE 'XAF' END, 1000,
     CASE WHEN n = 1 THEN 'yearly' WHEN ${THIRD} = 2 THEN 'weekly' ELSE 'monthly' END,
     100, true, 1, '${JSON.stringify(DEFAULT_RULES)}', 1, pg_temp.at(n), 'njangi ' || n
   FROM generate_series(1, ${String(ROWS)}) AS n`,
  `INSERT INTO members (id, association_id, user_id, display_name, role, status, hands, joined_at)
   SELECT pg_temp.nth(n), '${association_id}', 'filled-' || n, 'Member ' || n,
     CASE WHEN n = 1 THEN 'secretary' WHEN n > ${String(HALF)} THEN 'treasurer' ELSE 'member' END,
     CASE WHEN n = 1 THEN 'expelled' WHEN n > ${String(HALF)} THEN 'active' ELSE 'left' END,
     1, pg_temp.at(${String(ROWS)} - n)
   FROM generate_series(1, ${String(ROWS)}) AS n`,
  // A user in all of them, who has left every second one, and is on the board of the others.
  `INSERT INTO members (id, association_id, user_id, display_name, role, status, hands, joined_at)
   SELECT pg_temp.nth(${String(ROWS)} + n), pg_temp.nth(n), '${JOINER}', 'Joiner', 'treasurer',
     CASE WHEN n % 2 = 0 THEN 'active' ELSE 'left' END, 1, pg_temp.at(n)
   FROM generate_series(1, ${String(ROWS)}) AS n`,
  `INSERT INTO invitations (id, association_id, code_hash, created_by_member_id, max_uses, uses, expires_at, created_at)
   SELECT pg_temp.nth(n), '${association_id}', sha256(n::text::bytea), '${member_id}', 1, 0, pg_temp.at(n), pg_temp.at(n)
   FROM generate_series(1, ${String(ROWS)}) AS n`,
];
