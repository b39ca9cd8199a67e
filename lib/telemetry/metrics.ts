/**
 * Every metric of the services. The names follow OpenTelemetry's semantic conventions where they have one for the thing, in
 * the form that Prometheus gives them. Labels have few values: never ids, paths, users or texts. docs/observability.md shows
 * this table; a test compares the two.
 */
import { getHeapStatistics } from 'node:v8';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';

/** The metrics below, of all services that this process runs. */
export const REGISTRY = new Registry();

/** prom-client's own metrics of Node and of the process, from the first scrape on. */
export const PROCESS_REGISTRY = new Registry();

const registers = [REGISTRY];

/** Seconds, from an answer that needs no call to the longest time for which the gateway waits. */
const DURATION_BUCKETS_S = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Seconds, from a relay that is notified at once to an outage of minutes. */
const DELAY_BUCKETS_S = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300];

/** Items, up to the largest batch: see BATCH_MAX_ITEMS in lib/db/group-commit.ts. */
const BATCH_BUCKETS_ITEMS = [1, 2, 5, 10, 20, 50, 100, 200, 500];

export const httpRequestDuration = new Histogram({
  name: 'http_server_request_duration_seconds',
  help: 'Time from the arrival of a request to the end of its answer. The status is `aborted` if the client left.',
  labelNames: ['http_request_method', 'http_route', 'http_response_status_code'],
  buckets: DURATION_BUCKETS_S,
  registers,
});

export const httpActiveRequests = new Gauge({
  name: 'http_server_active_requests',
  help: 'Requests that have arrived and are not answered yet.',
  registers,
});

export const actionDuration = new Histogram({
  name: 'rpc_server_call_duration_seconds',
  help: "Time that an action of this process took. `error_type` is the error's code, `other`, or empty.",
  labelNames: ['rpc_method', 'error_type'],
  buckets: DURATION_BUCKETS_S,
  registers,
});

export const callerFaults = new Counter({
  name: 'rpc_server_caller_faults_total',
  help: 'Calls for a user without a valid statement of the gateway, by what is wrong with it. `outcome`: `refused`, or `accepted` with `CALLER_STATEMENTS=optional`.',
  labelNames: ['reason', 'outcome'],
  registers,
});

export const activeActions = new Gauge({
  name: 'rpc_server_active_calls',
  help: 'Actions that run in this process.',
  registers,
});

export const callDuration = new Histogram({
  name: 'rpc_client_call_duration_seconds',
  help: 'Time that a call of an action in another process took, with both messages.',
  labelNames: ['rpc_method', 'error_type'],
  buckets: DURATION_BUCKETS_S,
  registers,
});

export const poolConnections = new Gauge({
  name: 'db_client_connection_count',
  help: 'Connections of a pool to the database, by state: `idle` or `used`.',
  labelNames: ['db_client_connection_pool_name', 'db_client_connection_state'],
  registers,
});

export const poolMaxConnections = new Gauge({
  name: 'db_client_connection_max',
  help: 'How many connections a pool may open.',
  labelNames: ['db_client_connection_pool_name'],
  registers,
});

export const poolPendingRequests = new Gauge({
  name: 'db_client_connection_pending_requests',
  help: 'Requests that wait for a connection of a pool.',
  labelNames: ['db_client_connection_pool_name'],
  registers,
});

export const dnsFailures = new Counter({
  name: 'db_client_dns_failures_total',
  help: 'Connections for which DNS did not answer, so that the last addresses of the host were used.',
  registers,
});

export const databaseAvailable = new Gauge({
  name: 'db_client_available',
  help: '1 while a service can use its database, otherwise 0; then it accepts no calls.',
  labelNames: ['db_namespace'],
  registers,
});

export const batchItems = new Histogram({
  name: 'group_commit_batch_items',
  help: 'Items that were written to the database in one statement, by the kind of item.',
  labelNames: ['batch'],
  buckets: BATCH_BUCKETS_ITEMS,
  registers,
});

export const batchQueueItems = new Gauge({
  name: 'group_commit_queue_items',
  help: 'Items that wait for a batch. Beyond a limit, requests are refused with 503.',
  labelNames: ['batch'],
  registers,
});

export const unpublishedEvents = new Gauge({
  name: 'outbox_unpublished_events',
  help: 'Events in the outbox that are not in the stream yet.',
  labelNames: ['outbox'],
  registers,
});

export const unpublishedAge = new Gauge({
  name: 'outbox_unpublished_age_seconds',
  help: 'Age of the oldest event in the outbox that is not in the stream yet; 0 if there is none.',
  labelNames: ['outbox'],
  registers,
});

export const relayLeads = new Gauge({
  name: 'outbox_relay_leader',
  help: '1 if the relay of this process publishes the outbox, 0 if that of another process does.',
  labelNames: ['outbox'],
  registers,
});

export const publishedEvents = new Counter({
  name: 'outbox_published_events_total',
  help: 'Events that this process has published to the stream.',
  labelNames: ['outbox'],
  registers,
});

export const publishDelay = new Histogram({
  name: 'outbox_publish_delay_seconds',
  help: "Time from an event's change to its publication.",
  labelNames: ['outbox'],
  buckets: DELAY_BUCKETS_S,
  registers,
});

export const lostEvents = new Counter({
  name: 'outbox_lost_events_total',
  help: 'Events that the stream had lost, and that were published again.',
  labelNames: ['outbox'],
  registers,
});

export const pendingMessages = new Gauge({
  name: 'messaging_consumer_pending_messages',
  help: 'Events in the stream that a subscription has not handled yet.',
  labelNames: ['messaging_consumer_group_name'],
  registers,
});

export const consumerLag = new Gauge({
  name: 'messaging_consumer_lag_seconds',
  help: 'Age of the oldest event that a subscription has not handled yet; 0 if there is none.',
  labelNames: ['messaging_consumer_group_name'],
  registers,
});

export const eventDelay = new Histogram({
  name: 'messaging_delivery_delay_seconds',
  help: "Time from an event's change to the end of its handler.",
  labelNames: ['messaging_consumer_group_name'],
  buckets: DELAY_BUCKETS_S,
  registers,
});

export const failedEvents = new Counter({
  name: 'messaging_failed_deliveries_total',
  help: 'Deliveries whose handler failed; each is followed by another delivery or a dead letter.',
  labelNames: ['messaging_consumer_group_name'],
  registers,
});

export const deadLetterCount = new Gauge({
  name: 'messaging_dead_letters',
  help: 'Events whose handler kept failing, and that wait for an operator.',
  labelNames: ['messaging_consumer_group_name'],
  registers,
});

export const unfinishedSagas = new Gauge({
  name: 'saga_unfinished',
  help: 'Sagas with a step to run, by state. Recovery runs those that no request is running.',
  labelNames: ['saga', 'state'],
  registers,
});

export const unfinishedSagaAge = new Gauge({
  name: 'saga_unfinished_age_seconds',
  help: 'The longest time for which a saga with a step to run has been in its state; 0 if there is none.',
  labelNames: ['saga', 'state'],
  registers,
});

export const recoveredSagas = new Counter({
  name: 'saga_recovered_total',
  help: 'Sagas that recovery has run.',
  labelNames: ['saga', 'result'],
  registers,
});

export const pinAttempts = new Counter({
  name: 'pin_attempts_total',
  help: 'Checked PINs: `right`, `wrong`, `locks` (wrong, and the PIN is locked now) or `locked` (not compared).',
  labelNames: ['result'],
  registers,
});

export const pinKeyExpiry = new Gauge({
  name: 'pin_key_expiry_timestamp_seconds',
  help: 'When the newest PIN key of a membership node expires, in Unix time.',
  registers,
});
// A gauge without labels begins with 0, also in processes that do not run membership.
pinKeyExpiry.remove();

export const ledgerDrift = new Gauge({
  name: 'ledger_drift_differences',
  help: 'Differences between the databases that the last verification found, by check.',
  labelNames: ['check'],
  registers,
});

export const ledgerVerifiedAt = new Gauge({
  name: 'ledger_verified_timestamp_seconds',
  help: 'When the last complete verification ended, in Unix time.',
  registers,
});

export const failedCollections = new Counter({
  name: 'telemetry_failed_collections_total',
  help: 'Scrapes for which some metrics could not be read, such as while the database is unavailable.',
  labelNames: ['part'],
  registers,
});

export const healthReady = new Gauge({
  name: 'health_ready',
  help: '1 while the process can serve, as `/health/ready` answers, otherwise 0.',
  registers,
});

export const heapLimit = new Gauge({
  name: 'nodejs_heap_size_limit_bytes',
  help: 'How large the heap may become. Beyond it, Node ends the process.',
  registers,
  collect() {
    this.set(getHeapStatistics().heap_size_limit);
  },
});

export const target = new Gauge({
  name: 'target_info',
  help: 'Always 1. Its labels identify the process.',
  labelNames: ['service_name', 'service_version', 'service_instance_id'],
  registers,
});
