/** The HTTP server of each process for operators: metrics and health, on a port of its own. */
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { portError } from '../node/ports.ts';
import { healthReady } from './metrics.ts';
import { beforeScrape, scrape, scrapeValues } from './scrape.ts';

/** The port that OpenTelemetry's Prometheus exporters use. */
const DEFAULT_PORT = 9_464;

/** How many ports are tried: more processes than run on one machine. */
const PORTS_MAX = 100;

/** The state of a process. `degraded` means that it serves, but an operator should look into it. */
export interface Health {
  status: 'starting' | 'ready' | 'degraded' | 'down' | 'stopping';
  /** The state of each service of the process. */
  services: Record<string, 'up' | 'degraded' | 'down'>;
}

/** Whether requests should be sent to the process. */
const SERVES: Record<Health['status'], boolean> = {
  starting: false,
  ready: true,
  degraded: true,
  down: false,
  stopping: false,
};

export interface ProbeServer {
  readonly port: number;
  readonly url: string;
  close(): Promise<void>;
}

export interface ProbeServerOptions {
  host: string;
  /** Undefined for DEFAULT_PORT or, if that is in use, one of the next; 0 lets the system choose. */
  port: number | undefined;
  health: () => Promise<Health>;
}

/**
 * Serves `/metrics`, `/metrics.json`, `/health/live`, and `/health/ready`, which is also `/health`.
 * @throws StartupError if the port cannot be used
 */
export async function startProbeServer({ host, port, health }: ProbeServerOptions): Promise<ProbeServer> {
  const server = createServer((request, response) => {
    answer(request.method, new URL(request.url ?? '/', 'http://process').pathname, response, health).catch(
      (error: unknown) => {
        // Nothing that is read here may fail, so this is a programming error.
        response.destroy(error as Error);
      },
    );
  });
  await listenOn(server, host, port);
  const endReads = beforeScrape('health', async () => healthReady.set(SERVES[(await health()).status] ? 1 : 0));
  const bound = (server.address() as AddressInfo).port;
  return {
    port: bound,
    url: `http://${host.includes(':') ? `[${host}]` : host}:${String(bound)}`,
    async close() {
      endReads();
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

async function answer(
  method: string | undefined,
  path: string,
  response: ServerResponse,
  health: () => Promise<Health>,
): Promise<void> {
  const send = (status: number, contentType: string, body: string) => {
    response.writeHead(status, { 'Content-Type': contentType, 'Cache-Control': 'no-store' });
    response.end(method === 'HEAD' ? undefined : body);
  };
  const sendJson = (status: number, body: object) => send(status, 'application/json', JSON.stringify(body));
  if (method !== 'GET' && method !== 'HEAD') {
    sendJson(405, { status: 405 });
  } else if (path === '/metrics') {
    const { contentType, body } = await scrape();
    send(200, contentType, body);
  } else if (path === '/metrics.json') {
    sendJson(200, await scrapeValues());
  } else if (path === '/health/live') {
    sendJson(200, { status: 'live' });
  } else if (path === '/health' || path === '/health/ready') {
    const state = await health();
    sendJson(SERVES[state.status] ? 200 : 503, state);
  } else {
    sendJson(404, { status: 404 });
  }
}

async function listenOn(server: Server, host: string, port: number | undefined): Promise<void> {
  const last = port ?? DEFAULT_PORT + PORTS_MAX;
  for (let next = port ?? DEFAULT_PORT; ; next += 1) {
    try {
      await listen(server, host, next);
      return;
    } catch (error) {
      const isInUse = (error as NodeJS.ErrnoException).code === 'EADDRINUSE';
      if (!isInUse || next >= last) throw portError(error, host, next, 'METRICS_') ?? error;
    }
  }
}

function listen(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject).listen({ host, port, exclusive: true }, () => {
      server.off('error', reject);
      resolve();
    });
  });
}
