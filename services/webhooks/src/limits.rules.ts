/** Limits that users are told, in errors and in the description of the API. */
import { DAY_MS, HOUR_MS } from './times.rules.ts';

/** Endpoints of one association, and as many for all together: each event is sent to each of them. */
export const WEBHOOKS_MAX = 20;

/** Replaced secrets that still sign: each adds a signature of 47 characters to the header, and receivers try all of them. */
export const OLD_SECRETS_MAX = 5;

/** How long the replaced secret signs too, so that receivers can be changed one after another. */
export const OLD_SECRET_SIGNS_FOR_MS = 24 * HOUR_MS;

/**
 * Replays to one endpoint within REPLAYS_COUNT_FOR_MS: one an hour, while one after an outage is usual. Each sends the events of up to
 * RETENTION_MS for a single request.
 */
export const REPLAYS_MAX = 24;
export const REPLAYS_COUNT_FOR_MS = 24 * HOUR_MS;

/** Attempts that are stored of a delivery: more than its own, and few enough to show all. Retries by users are unlimited. */
export const ATTEMPTS_KEPT_MAX = 20;

/** An endpoint is disabled once it has had nothing but failures for this long: longer than all retries of a delivery take. */
export const FAILING_MAX_MS = 5 * DAY_MS;

/** How long events, and deliveries that have ended, are kept: for lists and replays. */
export const RETENTION_MS = 30 * DAY_MS;
