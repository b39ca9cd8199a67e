import { createServer } from 'node:net';
import { StartupError } from '../config/startup-error.ts';

/** A loopback port that is free now: `preferred` if it is, so that clients find a server again after its restart. */
export async function freeLoopbackPort(preferred?: number): Promise<number> {
  try {
    return await listenOnce('127.0.0.1', preferred ?? 0);
  } catch (error) {
    if (preferred === undefined) throw error;
    return listenOnce('127.0.0.1', 0);
  }
}

/**
 * Makes sure that the HTTP port can be had, before anything slow is started.
 * @throws {StartupError} when it cannot.
 */
export async function requirePort(host: string, port: number): Promise<void> {
  try {
    await listenOnce(host, port);
  } catch (error) {
    throw portError(error, host, port) ?? error;
  }
}

/** The line for an error of `listen`, or undefined when `error` is something else. */
export function portError(error: unknown, host: string, port: number): StartupError | undefined {
  const at = `${host}:${String(port)}`;
  switch ((error as NodeJS.ErrnoException).code) {
    case 'EADDRINUSE':
      return new StartupError(`Port ${String(port)} on ${host} is in use: stop what uses it, or set PORT to another.`);
    case 'EACCES':
      return new StartupError(`Not allowed to listen on ${at}: set PORT to 1024 or more.`);
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return new StartupError(`Cannot listen on ${at}: set HOST to an address of this machine.`);
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
