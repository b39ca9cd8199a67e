import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { EmbeddedServer } from './server-process.ts';

export type RememberedPorts = Partial<Record<'nats' | 'postgres', number>>;

/** The ports of the last start: kept where possible, so that services in other processes find the servers again. */
export async function readPorts(dataDir: string): Promise<RememberedPorts> {
  try {
    return JSON.parse(await readFile(path(dataDir), 'utf8')) as RememberedPorts;
  } catch {
    return {};
  }
}

export async function rememberPorts(
  dataDir: string,
  servers: Partial<Record<'nats' | 'postgres', EmbeddedServer>>,
): Promise<void> {
  await writeFile(path(dataDir), JSON.stringify({ nats: servers.nats?.port, postgres: servers.postgres?.port }));
}

function path(dataDir: string): string {
  return join(dataDir, 'ports.json');
}
