import { collectDefaultMetrics, type MetricObjectWithValues, type MetricValue } from 'prom-client';
import { failedCollections, PROCESS_REGISTRY, REGISTRY } from './metrics.ts';

/**
 * Metrics that cost a query are read when they are asked for, and at most once in this time, however many servers scrape.
 * A process that is not scraped pays nothing for them.
 */
const READ_EVERY_MS = 5_000;

/** Prometheus gives up after 10 s by default. A database that answers later than this is reported by other metrics. */
const READ_TIMEOUT_MS = 3_000;

/**
 * How often the event loop's delay is sampled; Node includes this time in the delays. prom-client's default of 10 ms would wake
 * an idle process 100 times a second.
 */
export const EVENT_LOOP_SAMPLE_MS = 100;

/** Sets metrics that are not counted as things happen. It may fail, such as while the database is unavailable. */
type Read = () => Promise<void>;

interface Reader {
  part: string;
  read: Read;
  read_at_ms: number;
}

const readers = new Set<Reader>();

/**
 * Registers a function that sets some metrics before each scrape.
 * @param part names it in telemetry_failed_collections_total
 * @returns a function that removes it
 */
export function beforeScrape(part: string, read: Read): () => void {
  const reader = { part, read, read_at_ms: -Infinity };
  readers.add(reader);
  // increase() in Prometheus counts from the first value that it has seen.
  failedCollections.inc({ part }, 0);
  return () => void readers.delete(reader);
}

/** Returns the metrics of this process in the text format of Prometheus. What cannot be read keeps its last value. */
export async function scrape(): Promise<{ contentType: string; body: string }> {
  await readAll();
  const parts = await Promise.all([REGISTRY.metrics(), PROCESS_REGISTRY.metrics()]);
  return { contentType: REGISTRY.contentType, body: parts.join('') };
}

/** A metric with its values. Those of a histogram have a `metricName`, which ends in `_bucket`, `_sum` or `_count`. */
export type ScrapedMetric = MetricObjectWithValues<MetricValue<string> & { metricName?: string }>;

/** Returns the metrics of this process for programs that do not read the text format. */
export async function scrapeValues(): Promise<ScrapedMetric[]> {
  await readAll();
  const parts = await Promise.all([REGISTRY.getMetricsAsJSON(), PROCESS_REGISTRY.getMetricsAsJSON()]);
  return parts.flat();
}

async function readAll(): Promise<void> {
  collectProcessMetrics();
  const now_ms = performance.now();
  const due = [...readers].filter(({ read_at_ms }) => now_ms - read_at_ms >= READ_EVERY_MS);
  await Promise.all(due.map((reader) => readOnce(reader, now_ms)));
}

/** Adds the metrics of Node and of the process, at the first scrape: a process that is not scraped does not sample itself. */
function collectProcessMetrics(): void {
  if (PROCESS_REGISTRY.getMetricsAsArray().length > 0) return;
  collectDefaultMetrics({ register: PROCESS_REGISTRY, eventLoopMonitoringPrecision: EVENT_LOOP_SAMPLE_MS });
}

async function readOnce(reader: Reader, now_ms: number): Promise<void> {
  reader.read_at_ms = now_ms;
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error('too late')), READ_TIMEOUT_MS);
  try {
    await Promise.race([reader.read(), late.promise]);
  } catch {
    // What keeps the metrics from being read, such as an outage of the database, is logged where it is noticed.
    failedCollections.inc({ part: reader.part });
  } finally {
    clearTimeout(timer);
  }
}
