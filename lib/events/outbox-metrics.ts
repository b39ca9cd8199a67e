import type { Db } from '../db/db.ts';
import type { Clock } from '../node/runtime.ts';
import { deadLetterCount, unpublishedAge, unpublishedEvents } from '../telemetry/metrics.ts';
import { beforeScrape } from '../telemetry/scrape.ts';

/** Counting more would read much of the outbox after a long outage. The age tells how long it lasts. */
const UNPUBLISHED_MAX_EVENTS = 100_000;

interface Waiting {
  events: number;
  oldest: string | null;
}

/** Measures, at each scrape, an outbox and the dead letters beside it. @returns a function that ends it */
export function measureOutbox(db: Db, outbox: string, durables: readonly string[], clock: Clock): () => void {
  let consumers = new Set(durables);
  const stop = beforeScrape('outbox', async () => {
    const [waiting, dead] = await Promise.all([
      db.first<Waiting>(WAITING, [UNPUBLISHED_MAX_EVENTS]),
      db.rows<{ consumer: string; events: number }>(DEAD_LETTERS),
    ]);
    const { events = 0, oldest = null } = waiting ?? {};
    unpublishedEvents.set({ outbox }, events);
    const age_ms = oldest === null ? 0 : clock().getTime() - Date.parse(oldest);
    unpublishedAge.set({ outbox }, Math.max(0, age_ms / 1_000));
    // Also those whose last dead letter has gone since the last scrape.
    consumers = new Set([...consumers, ...dead.map(({ consumer }) => consumer)]);
    const counts = new Map(dead.map((each) => [each.consumer, each.events]));
    for (const consumer of consumers) {
      deadLetterCount.set({ messaging_consumer_group_name: consumer }, counts.get(consumer) ?? 0);
    }
  });
  return () => {
    stop();
    unpublishedEvents.remove({ outbox });
    unpublishedAge.remove({ outbox });
    for (const consumer of consumers) deadLetterCount.remove({ messaging_consumer_group_name: consumer });
  };
}

const WAITING = `
  SELECT
    (SELECT count(*) FROM (SELECT FROM outbox WHERE published_at IS NULL LIMIT $1) AS unpublished)::int AS events,
    (SELECT event ->> 'time' FROM outbox WHERE published_at IS NULL ORDER BY position LIMIT 1) AS oldest`;

const DEAD_LETTERS = `SELECT consumer, count(*)::int AS events FROM dead_letters GROUP BY consumer`;
