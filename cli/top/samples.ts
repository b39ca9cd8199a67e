import type { ScrapedMetric } from '../../lib/telemetry/scrape.ts';
import type { FoundNode } from './find-nodes.ts';

type Labels = Record<string, string | number | undefined>;

/** One value of a metric. */
export interface Sample {
  labels: Labels;
  value: number;
}

/** The metrics of one process at one time. */
export interface Samples {
  /** `performance.now()` when they were read. */
  at_ms: number;
  /** Returns the values under this name, which for a histogram ends in `_bucket`, `_sum` or `_count`. */
  of(name: string): readonly Sample[];
}

/** The metrics of one process, or why they could not be read. */
export type Reading = Samples | { fault: string };

/** A process answers within 3 s, even if its database does not. */
const TIMEOUT_MS = 4_000;

/** Reads the metrics of a process from the first of its origins that answers. */
export async function readSamples({ id, origins }: Pick<FoundNode, 'id' | 'origins'>): Promise<Reading> {
  if (origins.length === 0) return { fault: 'announces no metrics port' };
  try {
    return await Promise.any(origins.map((origin) => readFrom(origin, id)));
  } catch (error) {
    const [first] = (error as AggregateError).errors as Error[];
    return { fault: reasonOf(first) };
  }
}

async function readFrom(origin: string, id: string | undefined): Promise<Samples> {
  const answer = await fetch(`${origin}/metrics.json`, { signal: AbortSignal.timeout(TIMEOUT_MS) });
  if (!answer.ok) throw new Error(`${origin} answers ${String(answer.status)}`);
  const samples = samplesOf((await answer.json()) as ScrapedMetric[], performance.now());
  const [info] = samples.of('target_info');
  if (id !== undefined && info !== undefined && info.labels['service_instance_id'] !== id) {
    throw new Error(`another process answers at ${origin}`);
  }
  return samples;
}

/** Groups values by their names. */
export function samplesOf(metrics: readonly ScrapedMetric[], at_ms: number): Samples {
  const byName = new Map<string, Sample[]>();
  for (const { name, values } of metrics) {
    for (const { labels, value, metricName = name } of values) {
      byName.set(metricName, [...(byName.get(metricName) ?? []), { labels, value }]);
    }
  }
  return { at_ms, of: (name) => byName.get(name) ?? [] };
}

/** Returns the reason in the words of the system, such as ECONNREFUSED, which fetch() hides in the cause. */
function reasonOf(error: Error | undefined): string {
  const { code } = (error?.cause ?? {}) as { code?: string };
  return code ?? error?.message ?? 'no answer';
}
