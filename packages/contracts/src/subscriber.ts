/** Subscriptions to events whose effect in a database of one's own happens exactly once. */
export { startSubscriptions, subscription, type Subscriptions } from '../../../lib/events/subscriptions.ts';
export type { Subscription } from '../../../lib/events/handle-events.ts';
export type { SubscriberLag } from '../../../lib/events/subscriber-metrics.ts';
export { spannedByEvent } from '../../../lib/events/cause.ts';
export { SUBSCRIBER_TABLES } from '../../../lib/events/subscriber-tables.ts';
export { SERVICE_TABLES } from './service-tables.ts';
export {
  findDeadLetters,
  listDeadLetters,
  retryDeadLetter,
  type DeadLetter,
  type DeadLetterPosition,
} from '../../../lib/events/dead-letters.ts';
export { openSqlDatabase, type SqlDatabase, type SqlMigration } from '../../../lib/db/sql-database.ts';
export { openSqlPool } from '../../../lib/db/sql-pool.ts';
export type { Sql, SqlPool, SqlTransaction, Statement } from '../../../lib/db/sql.ts';
export { natsConnectOptions } from '../../../lib/config/server-urls.ts';
