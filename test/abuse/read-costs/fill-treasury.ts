import { HALF, MEMBERS, ROWS, type Filling } from './rows.ts';

/** Number of movements on the statement of the reader. */
export const MOVEMENTS = 60;

/**
 * The ledger refused as many transfers as it posted. Each moved the cash box and the wallet of the reader. The newer half of
 * the distributions, of the corrections and of the recorded cash are refused.
 */
export const TREASURY: Filling = ({ association_id, member_id, wallet_id }) => [
  `INSERT INTO chains (chain_id, association_id, seq, hash)
   VALUES ('${association_id}', '${association_id}', ${String(ROWS)}, repeat('a', 64))`,
  `INSERT INTO transfers (id, chain_id, seq, association_id, kind, legs, currency, reference, posted_at, prev_hash, hash,
     request_hash, refusal)
   SELECT pg_temp.nth(n), '${association_id}', CASE WHEN n <= ${String(ROWS)} THEN n END, '${association_id}',
     CASE WHEN n = 1 THEN 'meeting_refund' WHEN n > ${String(HALF)} THEN 'contribution' ELSE 'settlement' END, '[{"account": "wallet:${wallet_id}", "amount_minor": -1}, {"account": "treasury", "amount_minor": 1}]', 'XAF', 'Cash', pg_temp.at(n),
     CASE WHEN n <= ${String(ROWS)} THEN repeat('a', 64) END, CASE WHEN n <= ${String(ROWS)} THEN repeat('a', 64) END,
     '', CASE WHEN n > ${String(ROWS)} THEN '{"code": "insufficient_funds", "extras": {}}'::json END
   FROM generate_series(1, ${String(2 * ROWS)}) AS n`,
  `INSERT INTO accounts (account_id, association_id, name, money, currency, balance, entry_count, may_go_negative,
     created_at)
   SELECT '${association_id}/' || name, '${association_id}', name, 'cash', 'XAF', balance, ${String(ROWS)}, true,
     pg_temp.at(1)
   FROM (VALUES ('cash_funding', -${String(ROWS)}), ('cash_treasury', ${String(ROWS)})) AS new (name, balance)`,
  // The pools of settled meetings, which are empty.
  `INSERT INTO accounts (account_id, association_id, name, money, currency, may_go_negative, created_at)
   SELECT '${association_id}/pool:' || pg_temp.nth(n), '${association_id}', 'pool:' || pg_temp.nth(n), 'emoney', 'XAF',
     false, pg_temp.at(n)
   FROM generate_series(1, ${String(MEMBERS)}) AS n`,
  `INSERT INTO entries (account_id, entry_no, transfer_id, amount, balance_after, member_id)
   SELECT '${association_id}/cash_funding', n, pg_temp.nth(n), -1, -n, pg_temp.nth(n)
   FROM generate_series(1, ${String(ROWS)}) AS n`,
  `INSERT INTO entries (account_id, entry_no, transfer_id, amount, balance_after, member_id)
   SELECT 'wallet:${wallet_id}', n, pg_temp.nth(n), -1, ${String(ROWS)} - n,
     CASE WHEN n <= ${String(MOVEMENTS)} THEN '${member_id}'::uuid END
   FROM generate_series(1, ${String(ROWS)}) AS n`,
  `UPDATE accounts SET entry_count = ${String(ROWS)} WHERE account_id = 'wallet:${wallet_id}'`,
  `INSERT INTO wallets (id, user_id, currency, account_id, created_at)
   SELECT pg_temp.nth(n), 'filled-' || n, 'XAF', 'wallet:' || pg_temp.nth(n), pg_temp.at(n)
   FROM generate_series(1, ${String(ROWS)}) AS n`,
  `INSERT INTO accounts (account_id, name, money, currency, may_go_negative, created_at)
   SELECT 'wallet:' || pg_temp.nth(n), 'wallet:' || pg_temp.nth(n), 'emoney', 'XAF', false, pg_temp.at(n)
   FROM generate_series(1, ${String(ROWS)}) AS n`,
  `INSERT INTO distributions (id, association_id, beneficiary_member_id, payout_wallet_id, amount, currency, reason, status,
     approval_id, closing_transfer_id, return_transfer_id, requested_by_member_id, requested_at, last_attempt_at,
     decided_at)
   SELECT pg_temp.nth(n), '${association_id}', '${member_id}', '${wallet_id}', 100, 'XAF', 'Help',
     CASE WHEN n = 1 THEN 'failed' WHEN n > ${String(HALF)} THEN 'refused' ELSE 'paid' END,
     pg_temp.nth(n), pg_temp.nth(n), pg_temp.nth(n), '${member_id}', pg_temp.at(n), pg_temp.at(n), pg_temp.at(n)
   FROM generate_series(1, ${String(ROWS)}) AS n`,
  `INSERT INTO corrections (id, association_id, transfer_id, kind, amount, currency, reason, member_id, reserve_reversal_id,
     status, approval_id, requested_by_member_id, requested_at, last_attempt_at, decided_at)
   SELECT pg_temp.nth(n), '${association_id}', pg_temp.nth(n), 'contribution', 100, 'XAF', 'Twice', '${member_id}',
     pg_temp.nth(n), CASE WHEN n = 1 THEN 'failed' WHEN n > ${String(HALF)} THEN 'refused' ELSE 'done' END,
     pg_temp.nth(n), '${member_id}', pg_temp.at(n), pg_temp.at(n), pg_temp.at(n)
   FROM generate_series(1, ${String(ROWS)}) AS n`,
  `INSERT INTO cash_deposits (id, association_id, member_id, amount, currency, reason, status, approval_id,
     recorded_by_member_id, recorded_at, last_attempt_at)
   SELECT pg_temp.nth(n), '${association_id}', CASE WHEN n <= 2 THEN pg_temp.nth(2) ELSE '${member_id}'::uuid END, 100, 'XAF',
     'Cash', CASE WHEN n = 1 THEN 'rejected' WHEN n > ${String(HALF)} THEN 'refused' ELSE 'confirmed' END,
     pg_temp.nth(n), '${member_id}', pg_temp.at(n), pg_temp.at(n)
   FROM generate_series(1, ${String(ROWS)}) AS n`,
];
