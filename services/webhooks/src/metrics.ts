/** The service's own metrics, beside those that every service has. */
import { REGISTRY } from '@association-service/contracts/service';
import type { Sql } from '@association-service/contracts/subscriber';
import { Counter, Gauge, Histogram } from 'prom-client';
import type { Claim } from './sending/claim.store.ts';
import type { Exchange, Outcome } from './sending/outcome.rules.ts';
import { RECEIVING, WAITING, WEBHOOK_STATUSES, type DeliveryStatus } from './states.rules.ts';

const registers = [REGISTRY];

/** From a request in the same network to the end of the retries. */
const DELAY_BUCKETS_S = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 60, 600, 3_600, 21_600, 86_400, 300_000];
const DURATION_BUCKETS_S = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15];

const attempts = new Counter({
  name: 'webhook_attempts_total',
  help: 'Attempts to deliver an event to an endpoint, by what followed: `delivered`, `retried` (it is tried again) or `failed` (it is given up).',
  labelNames: ['outcome'],
  registers,
});

const delay = new Histogram({
  name: 'webhook_delivery_delay_seconds',
  help: 'Time from an event to its acceptance by an endpoint. Replays do not count.',
  buckets: DELAY_BUCKETS_S,
  registers,
});

const duration = new Histogram({
  name: 'webhook_request_duration_seconds',
  help: 'Time that a request to an endpoint took. `error` is why there was no answer, or empty.',
  labelNames: ['error'],
  buckets: DURATION_BUCKETS_S,
  registers,
});

const requests = new Gauge({
  name: 'webhook_active_requests',
  help: 'Requests to endpoints that are running.',
  registers,
});

const pending = new Gauge({
  name: 'webhook_pending_deliveries',
  help: 'Deliveries that are not accepted and not given up, also those that wait for their next attempt.',
  registers,
});

const overdue = new Gauge({
  name: 'webhook_overdue_age_seconds',
  help: 'How long the delivery that should have been sent first has waited since; 0 if there is none.',
  registers,
});

const endpoints = new Gauge({
  name: 'webhook_endpoints',
  help: 'Endpoints by status: `enabled`, `failing` (enabled, and their last attempt failed) or `disabled`.',
  labelNames: ['status'],
  registers,
});

const OUTCOMES: Record<DeliveryStatus, string> = { delivered: 'delivered', pending: 'retried', failed: 'failed' };
for (const outcome of Object.values(OUTCOMES)) attempts.inc({ outcome }, 0);

/** Counts an attempt. */
export function measureAttempt(
  { is_replay, occurred_at }: Claim,
  { status }: Outcome,
  exchange: Exchange,
  now: Date,
): void {
  attempts.inc({ outcome: OUTCOMES[status] });
  duration.observe({ error: exchange.error ?? '' }, exchange.duration_ms / 1_000);
  if (status === 'delivered' && !is_replay) delay.observe(Math.max(0, now.getTime() - occurred_at.getTime()) / 1_000);
}

/** Each scrape within this time gets the same values, as they cost queries. */
const READ_EVERY_MS = 5_000;

const PENDING = `
  SELECT count(*)::float8 AS pending, extract(epoch FROM $1 - min(next_attempt_at))::float8 AS overdue_s
  FROM deliveries WHERE status IN (${WAITING})`;

const ENDPOINTS = `
  SELECT CASE WHEN status IN (${RECEIVING}) AND failing_since IS NOT NULL THEN 'failing' ELSE status END AS status, count(*)::float8 AS count
  FROM webhooks WHERE deleted_at IS NULL GROUP BY 1`;

/** Reads the gauges when they are scraped. @returns a function that ends that */
export function measureDatabase(
  db: Pick<Sql, 'first' | 'rows'>,
  clock: () => Date,
  inFlight: () => number,
): () => void {
  let reading: Promise<void> = Promise.resolve();
  let read_at_ms = -Infinity;
  async function read(): Promise<void> {
    const waiting = await db.first<{ pending: number; overdue_s: number | null }>(PENDING, [clock()]);
    pending.set(waiting?.pending ?? 0);
    overdue.set(Math.max(0, waiting?.overdue_s ?? 0));
    const counts = await db.rows<{ status: string; count: number }>(ENDPOINTS);
    for (const status of [...WEBHOOK_STATUSES, 'failing']) {
      endpoints.set({ status }, counts.find((each) => each.status === status)?.count ?? 0);
    }
  }
  /** Each gauge waits for the one reading of all. While the database is away, they keep their values. */
  function collect(): Promise<void> {
    requests.set(inFlight());
    if (performance.now() - read_at_ms >= READ_EVERY_MS) {
      read_at_ms = performance.now();
      reading = read().catch(() => undefined);
    }
    return reading;
  }
  for (const gauge of [requests, pending, overdue, endpoints]) Object.assign(gauge, { collect });
  return () => {
    for (const gauge of [requests, pending, overdue, endpoints]) Object.assign(gauge, { collect: undefined });
  };
}
