import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { metricsUrl, type Member } from '../../test/harness/cluster.ts';

/** Three times as often as deploy/prometheus/prometheus.yml has it, so that each round has several. */
const SCRAPE_EVERY_MS = 5_000;

/** Stands for a collector of traces, which accepts and drops them, and for the Prometheus that scrapes every process. */
export interface Monitoring {
  /** Variables with which a process exports the trace of every request. */
  settings: NodeJS.ProcessEnv;
  /** Scrapes the processes until the returned function is called. */
  scrape(members: readonly Member[]): () => void;
  /** Returns how much has arrived. */
  received: () => { trace_exports: number; scrapes: number };
  stop(): void;
}

export async function startMonitoring(): Promise<Monitoring> {
  const received = { trace_exports: 0, scrapes: 0 };
  const collector = createServer((request, response) => {
    received.trace_exports += 1;
    request.resume().on('end', () => response.end());
  });
  await once(collector.listen(0, '127.0.0.1'), 'listening');
  const { port } = collector.address() as AddressInfo;
  const scrapeOnce = async (url: string): Promise<void> => {
    await (await fetch(url)).text();
    received.scrapes += 1;
  };
  return {
    settings: { OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${String(port)}` },
    scrape(members) {
      const urls = members.flatMap((member) => metricsUrl(member) ?? []);
      const timers = urls.map((url) => setInterval(() => void scrapeOnce(url), SCRAPE_EVERY_MS));
      return () => timers.forEach((timer) => clearInterval(timer));
    },
    received: () => received,
    stop() {
      collector.close();
      collector.closeAllConnections();
    },
  };
}
