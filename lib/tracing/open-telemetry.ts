/** Exports traces with OpenTelemetry's SDK. Loaded only if the environment asks for it. */
import { ROOT_CONTEXT, SpanKind, SpanStatusCode, trace, type Span } from '@opentelemetry/api';
import { parseTraceParent, setGlobalErrorHandler, TraceState } from '@opentelemetry/core';
import { defaultResource, detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import { BasicTracerProvider, BatchSpanProcessor, type SpanExporter } from '@opentelemetry/sdk-trace-base';
import { faultOf } from '../errors/fault.ts';
import type { Kind, OpenSpan, Tracer } from './spans.ts';
import type { Trace } from './trace.ts';

/** The protocols of OTLP that are supported. gRPC would need a client of its own. */
export type Protocol = 'http/protobuf' | 'http/json';

const EXPORTERS: Record<Protocol, () => Promise<SpanExporter>> = {
  'http/protobuf': async () => new (await import('@opentelemetry/exporter-trace-otlp-proto')).OTLPTraceExporter(),
  'http/json': async () => new (await import('@opentelemetry/exporter-trace-otlp-http')).OTLPTraceExporter(),
};

const KINDS: Record<Kind, SpanKind> = {
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
  internal: SpanKind.INTERNAL,
};

/** How often the log repeats that spans cannot be exported. */
const REMIND_MS = 60_000;

/** A stop waits at most this long for the last spans to be exported. */
const FLUSH_MAX_MS = 2_000;

export interface Exporting {
  tracer: Tracer;
  /** Sends what has not been sent. */
  stop(): Promise<void>;
}

/**
 * Starts to export spans. The SDK and the exporter read the standard variables: OTEL_EXPORTER_OTLP_*, OTEL_TRACES_SAMPLER,
 * OTEL_BSP_*, OTEL_SERVICE_NAME, OTEL_RESOURCE_ATTRIBUTES.
 * @param described the process to which the spans belong; the variables may add to it, and override it
 * @param log is told when spans cannot be exported
 */
export async function startExporting(
  described: Record<string, string>,
  protocol: Protocol,
  log: (message: string) => void,
): Promise<Exporting> {
  reportFailures(log);
  const provider = new BasicTracerProvider({
    resource: defaultResource()
      .merge(resourceFromAttributes(described))
      .merge(detectResources({ detectors: [envDetector] })),
    spanProcessors: [new BatchSpanProcessor(await EXPORTERS[protocol]())],
  });
  const tracer = provider.getTracer('association-service');
  return {
    tracer: {
      start(kind, name, parent, attributes) {
        const context = contextOf(parent);
        return opened(tracer.startSpan(name, { kind: KINDS[kind], attributes }, context));
      },
    },
    async stop() {
      const late = new Promise((resolve) => setTimeout(resolve, FLUSH_MAX_MS).unref());
      await Promise.race([provider.shutdown(), late]);
    },
  };
}

function contextOf(parent: Partial<Trace> | undefined) {
  const spanContext = parent?.traceparent === undefined ? null : parseTraceParent(parent.traceparent);
  if (spanContext === null) return ROOT_CONTEXT;
  const { tracestate } = parent ?? {};
  const state = tracestate === undefined ? {} : { traceState: new TraceState(tracestate) };
  return trace.setSpanContext(ROOT_CONTEXT, { ...spanContext, ...state, isRemote: true });
}

function opened(span: Span): OpenSpan {
  return {
    trace: traceOf(span),
    end({ name, attributes, error } = {}) {
      if (name !== undefined) span.updateName(name);
      if (attributes !== undefined) span.setAttributes(attributes);
      if (error !== undefined) span.setAttribute('error.type', error.type);
      if (error?.isFault === true) span.setStatus({ code: SpanStatusCode.ERROR });
      span.end();
    },
  };
}

function traceOf(span: Span): Trace {
  const { traceId, spanId, traceFlags, traceState } = span.spanContext();
  const traceparent = `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`;
  return traceState === undefined ? { traceparent } : { traceparent, tracestate: traceState.serialize() };
}

function reportFailures(log: (message: string) => void): void {
  let reported_ms = -Infinity;
  setGlobalErrorHandler((failure) => {
    const now_ms = performance.now();
    if (now_ms - reported_ms < REMIND_MS) return;
    reported_ms = now_ms;
    log(faultOf(failure).message);
  });
}
