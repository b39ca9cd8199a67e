import { HALF, ROWS, type Filling } from './rows.ts';

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
];
