import { randomUUID } from 'node:crypto';
import { StartupError } from '../config/startup-error.ts';
import type { Protocol } from './open-telemetry.ts';
import { setTracer } from './spans.ts';

/**
 * Starts to export traces if OpenTelemetry's standard variables ask for it. Must be called before databases are opened.
 * @param log is told when spans cannot be exported
 * @returns a function that sends the last spans; undefined if traces are off
 * @throws StartupError for a value that this service does not support
 */
export async function startTracing(
  env: NodeJS.ProcessEnv,
  service: { name: string; version: string },
  log: (line: string) => void,
): Promise<(() => Promise<void>) | undefined> {
  const protocol = readProtocol(env);
  if (protocol === undefined) return undefined;
  const { startExporting } = await import('./open-telemetry.ts');
  const exporting = await startExporting(
    {
      'service.namespace': 'association-service',
      'service.name': service.name,
      'service.version': service.version,
      'service.instance.id': randomUUID(),
    },
    protocol,
    (reason) => log(`Traces cannot be exported: ${reason}`),
  );
  setTracer(exporting.tracer);
  return async () => {
    setTracer(undefined);
    await exporting.stop();
  };
}

/**
 * Returns how spans are exported; undefined if the environment does not ask for traces.
 * @throws StartupError for a value that this service does not support
 */
function readProtocol(env: NodeJS.ProcessEnv): Protocol | undefined {
  const read = (name: string) => (env[name] ?? '').trim();
  if (read('OTEL_SDK_DISABLED').toLowerCase() === 'true') return undefined;
  const exporter = read('OTEL_TRACES_EXPORTER');
  if (exporter !== '' && exporter !== 'otlp' && exporter !== 'none') {
    throw new StartupError('OTEL_TRACES_EXPORTER must be otlp or none.');
  }
  const hasEndpoint = ['OTEL_EXPORTER_OTLP_ENDPOINT', 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'].some((name) => read(name));
  if (exporter === 'none' || (exporter === '' && !hasEndpoint)) return undefined;
  const protocol = read('OTEL_EXPORTER_OTLP_TRACES_PROTOCOL') || read('OTEL_EXPORTER_OTLP_PROTOCOL') || 'http/protobuf';
  if (protocol === 'http/protobuf' || protocol === 'http/json') return protocol;
  throw new StartupError('OTEL_EXPORTER_OTLP_PROTOCOL must be http/protobuf or http/json.');
}
