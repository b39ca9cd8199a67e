import { HALF, ROWS, type Filling } from './rows.ts';

/** Messages to the user: the newer half still waits, and only the oldest has failed. Others have settings too. */
export const REMINDERS: Filling = ({ association_id, user_id }) => [
  `INSERT INTO associations (association_id, name, currency, time_zone)
   SELECT id, 'Filled', 'XAF', 'UTC'
   FROM (SELECT '${association_id}'::uuid UNION SELECT pg_temp.nth(n) FROM generate_series(1, ${String(ROWS)}) AS n) AS new (id)
   ON CONFLICT DO NOTHING`,
  `INSERT INTO preferences (user_id, language, channels, types)
   SELECT user_id, 'en', '{email}', '{}' FROM (SELECT '${user_id}' UNION SELECT 'filled-' || n
   FROM generate_series(1, ${String(ROWS)}) AS n) AS new (user_id)`,
  `INSERT INTO addresses (user_id, channel, address, in_use)
   SELECT user_id, channel, 'someone', 'someone' FROM preferences, (VALUES ('email'), ('sms')) AS each (channel)`,
  `INSERT INTO messages (message_id, occasion_key, user_id, channel, association_id, type, facts, status, reason, created_at,
     occurred_at, expires_at, is_urgent, not_before, checked_at, subject, body)
   SELECT pg_temp.nth(n), 'filled:' || n, '${user_id}', 'email', '${association_id}', 'vote_waiting', '{}',
     CASE WHEN n = 1 THEN 'failed' WHEN n > ${String(HALF)} THEN 'waiting' ELSE 'sent' END,
     CASE WHEN n = 1 THEN 'refused' END, pg_temp.at(n), pg_temp.at(n), pg_temp.at(n), false, pg_temp.at(n), pg_temp.at(n),
     'Vote', 'Vote'
   FROM generate_series(1, ${String(ROWS)}) AS n`,
  `INSERT INTO messages (message_id, occasion_key, user_id, channel, type, facts, status, created_at, occurred_at, expires_at,
     is_urgent, not_before, checked_at)
   SELECT pg_temp.nth(${String(ROWS)} + n), 'filled:' || n, 'filled-' || n, 'sms', 'pin_changed', '{}', 'sent', pg_temp.at(n),
     pg_temp.at(n), pg_temp.at(n), true, pg_temp.at(n), pg_temp.at(n)
   FROM generate_series(1, ${String(ROWS)}) AS n`,
];
