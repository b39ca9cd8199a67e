import { HALF, nthId, ROWS, type Filling } from './rows.ts';

/** As many as an association may have, and as many as there may be for all. */
const ENDPOINTS = 20;

/** An endpoint of the association, and one of all: each has many deliveries, of which the oldest is the only one that failed. */
export const ENDPOINT = nthId(ROWS + 1);
export const GLOBAL_ENDPOINT = nthId(ROWS + ENDPOINTS + 1);

const DELIVERIES = (first: number, endpoint: string) =>
  `INSERT INTO deliveries (id, webhook_id, event_id, status, attempts, tries, next_attempt_at, created_at, finished_at)
   SELECT pg_temp.nth(${String(first)} + n), '${endpoint}', pg_temp.nth(n),
     CASE WHEN n = 1 THEN 'failed' WHEN n > ${String(HALF)} THEN 'pending' ELSE 'delivered' END,
     '[{"at": "2024-01-01T00:00:00.000Z", "status_code": 204, "error": null, "duration_ms": 5}]', 1,
     CASE WHEN n > ${String(HALF)} THEN timestamptz '2100-01-01' END, pg_temp.at(n),
     CASE WHEN n <= ${String(HALF)} THEN pg_temp.at(n) END
   FROM generate_series(1, ${String(ROWS)}) AS n`;

/** Endpoints of the association, of all associations, and many of others; events of the association. */
export const WEBHOOKS: Filling = ({ association_id }) => [
  `INSERT INTO webhooks (id, association_id, url, types, status, sealed_secret, secret_made_by, created_by_user_id, created_at)
   SELECT pg_temp.nth(n), CASE WHEN n <= ${String(ROWS)} THEN pg_temp.nth(n)
       WHEN n <= ${String(ROWS + ENDPOINTS)} THEN '${association_id}'::uuid END,
     'http://127.0.0.1:9/' || n, '{*}', 'enabled', 'sealed', pg_temp.nth(n), 'filled', pg_temp.at(n)
   FROM generate_series(1, ${String(ROWS + 2 * ENDPOINTS)}) AS n`,
  `INSERT INTO events (id, association_id, type, occurred_at, received_at, body)
   SELECT pg_temp.nth(n), '${association_id}', 'contribution.paid', pg_temp.at(n), pg_temp.at(n), '{}'
   FROM generate_series(1, ${String(ROWS)}) AS n`,
  DELIVERIES(0, ENDPOINT),
  DELIVERIES(ROWS, GLOBAL_ENDPOINT),
];
