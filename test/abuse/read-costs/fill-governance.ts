import { HALF, joinerIn, MANY, NEWEST_JOINED, ROWS, type Filling } from './rows.ts';

/** The number of pending approvals on which a user has voted. */
const VOTED = 10;

/** The newer half of the approvals are rejected motions, the others are approved cash deposits. */
export const GOVERNANCE: Filling = ({ association_id, member_id }) => [
  `INSERT INTO approvals (id, association_id, subject_type, subject_id, payload, payload_hash, status, required_approvals,
     requested_by_member_id, requested_at, expires_at, decided_at, execution_status)
   SELECT pg_temp.nth(n), '${association_id}',
     CASE WHEN n = 1 THEN 'closure' WHEN n > ${String(HALF)} THEN 'motion' ELSE 'cash_deposit' END, pg_temp.nth(n),
     CASE WHEN n = 1 THEN '{}'::json WHEN n > ${String(HALF)} THEN '{"text": "We meet."}'::json
       ELSE json_build_object('member_id', '${member_id}', 'amount', 1, 'currency', 'XAF', 'reason', 'Cash') END,
     repeat('a', 64), CASE WHEN n = 1 THEN 'expired' WHEN n > ${String(HALF)} THEN 'rejected' ELSE 'approved' END, 1,
     '${member_id}', pg_temp.at(n), pg_temp.at(n), pg_temp.at(n),
     CASE WHEN n > 1 AND n <= ${String(HALF)} THEN 'done' ELSE 'none' END
   FROM generate_series(1, ${String(ROWS)}) AS n`,
  `INSERT INTO votes (approval_id, member_id, decision, voted_at)
   SELECT pg_temp.nth(n), pg_temp.nth(n), 'approve', pg_temp.at(n) FROM generate_series(1, ${String(ROWS)}) AS n`,
  // Many pending ones in the newest association of one user, and one in each of many others.
  `INSERT INTO approvals (id, association_id, subject_type, subject_id, payload, payload_hash, status, required_approvals,
     requested_by_member_id, requested_at, expires_at, execution_status)
   SELECT pg_temp.nth(${String(ROWS)} + n),
     CASE WHEN n > ${String(MANY)} THEN pg_temp.nth(${String(ROWS + MANY)} - n) ELSE '${NEWEST_JOINED}' END, 'motion',
     pg_temp.nth(${String(ROWS)} + n), '{"text": "We sing."}', repeat('a', 64), 'pending', 1, '${member_id}', pg_temp.at(n),
     now() + interval '1 day' + n * interval '1 minute', 'none' FROM generate_series(1, 2 * ${String(MANY)}) AS n`,
  `INSERT INTO votes (approval_id, member_id, decision, voted_at)
   SELECT pg_temp.nth(${String(ROWS)} + n), ${joinerIn(String(ROWS))}, 'approve', pg_temp.at(n)
   FROM generate_series(1, ${String(VOTED)}) AS n`,
];
