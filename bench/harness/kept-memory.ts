import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';

const BYTES_PER_MIB = 1_048_576;

/** Variables with which a process answers keptMib(). It also needs its DATA_DIR. */
export const reportsKeptMemory: NodeJS.ProcessEnv = {
  NODE_OPTIONS: [
    process.env['NODE_OPTIONS'] ?? '',
    `--import=${pathToFileURL(join(import.meta.dirname, 'kept-memory-server.ts')).href}`,
  ].join(' '),
};

/** The socket of a process. */
export const keptMemorySocket = (dataDir: string, pid: number): string => join(dataDir, `memory-${String(pid)}`);

/**
 * Returns what the processes keep after a collection of garbage, in MiB: objects and buffers. The resident memory also contains
 * garbage, which V8 may collect minutes later: between two instants it differs by 70 MiB without a leak.
 */
export async function keptMib(dataDir: string, pids: readonly number[]): Promise<number> {
  const kept = await Promise.all(pids.map((pid) => keptBytes(keptMemorySocket(dataDir, pid))));
  return kept.reduce((sum, bytes) => sum + bytes, 0) / BYTES_PER_MIB;
}

async function keptBytes(socketPath: string): Promise<number> {
  const [answer] = (await once(get({ socketPath }), 'response')) as [IncomingMessage];
  return (await json(answer)) as number;
}
