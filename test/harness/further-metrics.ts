/** The metrics that only webhooks and reminders have. A test file that imports this has them in REGISTRY, after all others. */
import { REGISTRY } from '../../lib/telemetry/metrics.ts';
import '../../services/reminders/src/metrics.ts';
import '../../services/webhooks/src/metrics.ts';

/** A metric as its declaration has it; prom-client's types lack the labels. */
export interface DeclaredMetric {
  name: string;
  type: string;
  help: string;
  labelNames: string[];
}

const FURTHER = /^(webhook|reminders)_/;

/** Returns the metrics of all services, and those of webhooks and reminders. */
export function declaredMetrics(): { common: DeclaredMetric[]; further: DeclaredMetric[] } {
  const all = REGISTRY.getMetricsAsArray() as unknown as DeclaredMetric[];
  const further = all.filter(({ name }) => FURTHER.test(name));
  return {
    common: all.filter(({ name }) => !FURTHER.test(name)),
    // In whichever order test files have imported them.
    further: further.toSorted(
      (a, b) => Number(a.name.startsWith('reminders')) - Number(b.name.startsWith('reminders')),
    ),
  };
}
