import type { Db } from '../db/db.ts';
import type { Clock } from '../node/clock.ts';
import { unpublishedAge, unpublishedEvents } from '../telemetry/metrics.ts';
import { beforeScrape } from '../telemetry/scrape.ts';

/** Counting more would read much of the outbox after a long outage. The age tells how long it lasts. */
const UNPUBLISHED_MAX_EVENTS = 100_000;

interface Waiting {
  events: number;
  oldest: string | null;
}

/** Measures an outbox at each scrape. @returns a function that ends it */
export function measureOutbox(db: Db, outbox: string, clock: Clock): () => void {
  const stop = beforeScrape('outbox', async () => {
    const waiting = await db.first<Waiting>(WAITING, [UNPUBLISHED_MAX_EVENTS]);
    const { events = 0, oldest = null } = waiting ?? {};
    unpublishedEvents.set({ outbox }, events);
    const age_ms = oldest === null ? 0 : clock().getTime() - Date.parse(oldest);
    unpublishedAge.set({ outbox }, Math.max(0, age_ms / 1_000));
  });
  return () => {
    stop();
    unpublishedEvents.remove({ outbox });
    unpublishedAge.remove({ outbox });
  };
}

const WAITING = `
  SELECT
    (SELECT count(*) FROM (SELECT FROM outbox WHERE published_at IS NULL LIMIT $1) AS unpublished)::int AS events,
    (SELECT event ->> 'time' FROM outbox WHERE published_at IS NULL ORDER BY position LIMIT 1) AS oldest`;
