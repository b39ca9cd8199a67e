import { target } from './metrics.ts';
import { startProbeServer, type Health } from './probe-server.ts';

/** The metrics and health of a process, which operators ask for on a port of its own. */
export interface Probes {
  readonly port: number;
  readonly url: string;
  /** From now on, `health` tells whether the process serves. Until then, it is starting. */
  ready(nodeId: string, health: () => Promise<Health>): void;
  /** From now on, the process is stopping. */
  stopping(): void;
  close(): Promise<void>;
}

export interface ProbesOptions {
  host: string;
  /** Undefined for 9464 or, if that is in use, one of the next; 0 lets the system choose. */
  port: number | undefined;
  /** The services of the process. */
  services: readonly string[];
  /** Their version. */
  version: string;
}

/**
 * Serves the metrics and the health of a process from its start to its end.
 * @throws StartupError if the port cannot be used
 */
export async function serveProbes({ host, port, services, version }: ProbesOptions): Promise<Probes> {
  const without = (status: 'starting' | 'stopping') => (): Promise<Health> =>
    Promise.resolve({ status, services: Object.fromEntries(services.map((name) => [name, 'down'])) });
  let health = without('starting');
  const server = await startProbeServer({ host, port, health: () => health() });
  return {
    port: server.port,
    url: server.url,
    ready(service_instance_id, check) {
      health = check;
      target.set({ service_name: services.join(','), service_version: version, service_instance_id }, 1);
    },
    stopping() {
      health = without('stopping');
    },
    close: () => server.close(),
  };
}
