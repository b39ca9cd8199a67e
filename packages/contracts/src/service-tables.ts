import { SUBSCRIBER_TABLES } from '../../../lib/events/subscriber-tables.ts';
import { IDEMPOTENCY_TABLES } from '../../../lib/idempotency/idempotency-tables.ts';
import { CURSOR_TABLES } from '../../../lib/paging/cursor-tables.ts';

/** The statements that create the tables of a service with subscriptions and an API. Its first migration runs them. */
export const SERVICE_TABLES: readonly string[] = [...SUBSCRIBER_TABLES, ...IDEMPOTENCY_TABLES, ...CURSOR_TABLES];
