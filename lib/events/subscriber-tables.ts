/**
 * The statements that create the tables of subscriptions: the events that a consumer has handled, and those whose handler kept
 * failing. A database gets them in one of its migrations.
 */
export const SUBSCRIBER_TABLES = [
  `
    CREATE TABLE inbox (
      consumer text NOT NULL,
      event_id uuid NOT NULL,
      processed_at timestamptz NOT NULL,
      PRIMARY KEY (consumer, event_id)
    )`,
  `
    CREATE TABLE dead_letters (
      consumer text NOT NULL,
      event_id uuid NOT NULL,
      subject text NOT NULL,
      event json NOT NULL,
      error text NOT NULL,
      deliveries integer NOT NULL,
      dead_at timestamptz NOT NULL,
      PRIMARY KEY (consumer, event_id)
    )`,
] as const;
