import { createServer } from 'node:net';
import { StartupError } from '../config/startup-error.ts';

/** Finds a free loopback port: `preferred` if it is free, so that clients find a server again after its restart. */
export async function freeLoopbackPort(preferred?: number): Promise<number> {
  try {
    return await listenOnce('127.0.0.1', preferred ?? 0);
  } catch (error) {
    if (preferred === undefined) throw error;
    return listenOnce('127.0.0.1', 0);
  }
}

/**
 * Checks that the HTTP port can be used, before anything slow is started.
 * @throws StartupError if it cannot
 */
export async function requirePort(host: string, port: number): Promise<void> {
  try {
    await listenOnce(host, port);
  } catch (error) {
    throw portError(error, host, port) ?? error;
  }
}

/**
 * Returns the message for an error of `listen`; undefined for other errors.
 * @param prefix of the names of the settings, such as METRICS_ for METRICS_HOST and METRICS_PORT
 */
export function portError(error: unknown, host: string, port: number, prefix = ''): StartupError | undefined {
  const at = `${host}:${String(port)}`;
  switch ((error as NodeJS.ErrnoException).code) {
    case 'EADDRINUSE':
      return new StartupError(
        `Port ${String(port)} on ${host} is in use: stop what uses it, or set ${prefix}PORT to another.`,
      );
    case 'EACCES':
      return new StartupError(`Not allowed to listen on ${at}: set ${prefix}PORT to 1024 or more.`);
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return new StartupError(`Cannot listen on ${at}: set ${prefix}HOST to an address of this machine.`);
    default:
      return undefined;
  }
}

function listenOnce(host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen({ host, port, exclusive: true }, () => {
      const address = server.address();
      server.close(() => {
        resolve(typeof address === 'object' && address !== null ? address.port : port);
      });
    });
  });
}
