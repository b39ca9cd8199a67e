/** What `npm run top` shows, computed from the metrics of all processes at two times. Pure functions. */
import { errorEntry, isErrorCode } from '../../lib/errors/codes.ts';
import { EVENT_LOOP_SAMPLE_MS } from '../../lib/telemetry/scrape.ts';
import type { Sample, Samples } from './samples.ts';

/** The metrics of a process now and, if it was read then, before. */
export interface Pair {
  before: Samples | undefined;
  now: Samples;
}

/** Work between two readings. All are undefined before the second reading. */
export interface Work {
  per_s: number | undefined;
  /** Those that failed because of a fault, and not because of the request. */
  failed_per_s: number | undefined;
  /** Undefined also if there was no work. */
  p99_s: number | undefined;
}

export interface NodeFigures {
  services: string;
  isReady: boolean;
  started_s: number;
  /** Share of one core. */
  cpu: number | undefined;
  memory_bytes: number;
  /** How late the event loop was: p99. */
  lag_s: number;
  actions: Work;
}

/** Returns the figures of one process. */
export function nodeFigures(pair: Pair): NodeFigures {
  const { now } = pair;
  return {
    services: String(now.of('target_info')[0]?.labels['service_name'] ?? ''),
    isReady: largest(now.of('health_ready')) === 1,
    started_s: largest(now.of('process_start_time_seconds')),
    cpu: rate(pair, 'process_cpu_seconds_total'),
    memory_bytes: largest(now.of('process_resident_memory_bytes')),
    lag_s: Math.max(0, largest(now.of('nodejs_eventloop_lag_p99_seconds')) - EVENT_LOOP_SAMPLE_MS / 1_000),
    actions: workOf([pair], 'rpc_server_call_duration_seconds', ({ labels }) => isFault(String(labels['error_type']))),
  };
}

export interface FleetFigures {
  http: Work;
  /** Requests that are not answered yet. */
  http_active: number;
  outboxes: { name: string; published_per_s: number | undefined; waiting: number; age_s: number }[];
  subscriptions: { name: string; waiting: number; lag_s: number; dead_letters: number }[];
  /** Only those that are not finished. */
  sagas: { name: string; state: string; unfinished: number; age_s: number }[];
}

/** Returns the figures of all processes together. All processes of a service report the same outbox, sagas and so on. */
export function fleetFigures(pairs: readonly Pair[]): FleetFigures {
  const all = (name: string) => pairs.flatMap(({ now }) => now.of(name));
  const values = (name: string, ...labels: string[]) => largestBy(all(name), labels);
  const group = 'messaging_consumer_group_name';
  const ages = values('outbox_unpublished_age_seconds', 'outbox');
  const lags = values('messaging_consumer_lag_seconds', group);
  const deadLetters = values('messaging_dead_letters', group);
  const sagaAges = values('saga_unfinished_age_seconds', 'saga', 'state');
  return {
    http: workOf(pairs, 'http_server_request_duration_seconds', ({ labels }) =>
      String(labels['http_response_status_code']).startsWith('5'),
    ),
    http_active: sum(all('http_server_active_requests')),
    outboxes: [...values('outbox_unpublished_events', 'outbox')].map(([name, waiting]) => ({
      name,
      published_per_s: total(
        pairs.map((pair) => rate(pair, 'outbox_published_events_total', ({ labels }) => labels['outbox'] === name)),
      ),
      waiting,
      age_s: ages.get(name) ?? 0,
    })),
    subscriptions: [...new Set([...lags.keys(), ...deadLetters.keys()])].map((name) => ({
      name,
      waiting: values('messaging_consumer_pending_messages', group).get(name) ?? 0,
      lag_s: lags.get(name) ?? 0,
      dead_letters: deadLetters.get(name) ?? 0,
    })),
    sagas: [...values('saga_unfinished', 'saga', 'state')]
      .filter(([, unfinished]) => unfinished > 0)
      .map(([key, unfinished]) => {
        const [name = '', state = ''] = key.split(SEPARATOR);
        return { name, state, unfinished, age_s: sagaAges.get(key) ?? 0 };
      }),
  };
}

/** Whether an action failed because of a fault: an error without a code, or with one whose status is 5xx. */
function isFault(error_type: string): boolean {
  return error_type !== '' && !(isErrorCode(error_type) && errorEntry(error_type).status < 500);
}

/** Returns the work that a histogram has counted. */
function workOf(pairs: readonly Pair[], histogram: string, isFailed: (sample: Sample) => boolean): Work {
  return {
    per_s: total(pairs.map((pair) => rate(pair, `${histogram}_count`))),
    failed_per_s: total(pairs.map((pair) => rate(pair, `${histogram}_count`, isFailed))),
    p99_s: quantile(0.99, bucketIncreases(pairs, `${histogram}_bucket`)),
  };
}

/** Returns how fast a counter grows, a second; undefined if it was not read before, or its process has restarted. */
function rate({ before, now }: Pair, name: string, isCounted: (sample: Sample) => boolean = () => true) {
  const grown = sum(now.of(name).filter(isCounted)) - sum(before?.of(name).filter(isCounted) ?? []);
  return before === undefined || grown < 0 ? undefined : grown / ((now.at_ms - before.at_ms) / 1_000);
}

/** Returns how many observations each bucket got, by its upper bound. A bucket includes all smaller ones. */
function bucketIncreases(pairs: readonly Pair[], name: string): Map<number, number> {
  const increases = new Map<number, number>();
  const add = (samples: readonly Sample[], sign: 1 | -1) => {
    for (const { labels, value } of samples) {
      const bound = labels['le'] === '+Inf' ? Infinity : Number(labels['le']);
      increases.set(bound, (increases.get(bound) ?? 0) + sign * value);
    }
  };
  for (const { before, now } of pairs) {
    if (before === undefined) continue;
    add(now.of(name), 1);
    add(before.of(name), -1);
  }
  return increases;
}

/**
 * Estimates a quantile as Prometheus does: linearly within its bucket; beyond the last bound, that bound.
 * @returns undefined if there are no observations
 */
export function quantile(share: number, buckets: ReadonlyMap<number, number>): number | undefined {
  const sorted = [...buckets].toSorted(([a], [b]) => a - b);
  const observations = sorted.at(-1)?.[1] ?? 0;
  if (observations <= 0) return undefined;
  const rank = share * observations;
  let [lower, below] = [0, 0];
  for (const [bound, count] of sorted) {
    if (count >= rank) return bound === Infinity ? lower : lower + ((bound - lower) * (rank - below)) / (count - below);
    [lower, below] = [bound, count];
  }
  return undefined;
}

/** Separates the labels in a key. Names of sagas and states do not contain it. */
const SEPARATOR = '\n';

function largestBy(samples: readonly Sample[], labels: readonly string[]): Map<string, number> {
  const found = new Map<string, number>();
  for (const sample of samples) {
    const key = labels.map((label) => String(sample.labels[label])).join(SEPARATOR);
    found.set(key, Math.max(found.get(key) ?? 0, sample.value));
  }
  return found;
}

function largest(samples: readonly Sample[]): number {
  return Math.max(0, ...samples.map(({ value }) => value));
}

function sum(samples: readonly Sample[]): number {
  return samples.reduce((all, { value }) => all + value, 0);
}

function total(rates: readonly (number | undefined)[]): number | undefined {
  const known = rates.filter((each) => each !== undefined);
  return known.length === 0 ? undefined : known.reduce((all, each) => all + each, 0);
}
