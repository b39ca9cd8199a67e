import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TableService } from '../config/service-names.ts';
import type { ServiceDatabase } from '../node/resources.ts';
import { isDataDirLocked } from './data-dir-lock.ts';

/** The servers that a process of this machine runs, for other processes with the same DATA_DIR. */
export interface Endpoints {
  natsUrl: string;
  databases: Partial<Record<TableService, ServiceDatabase>>;
  adminUrl?: string | undefined;
}

/** Writes DATA_DIR/endpoints.json. Only its owner may read it: it holds passwords. */
export async function publishEndpoints(dataDir: string, endpoints: Endpoints): Promise<void> {
  const draft = `${path(dataDir)}.${String(process.pid)}`;
  await writeFile(draft, JSON.stringify(endpoints, null, 2), { mode: 0o600 });
  await rename(draft, path(dataDir));
}

/** Reads DATA_DIR/endpoints.json; undefined when there is none, or only one that a killed process left. */
export async function readEndpoints(dataDir: string): Promise<Endpoints | undefined> {
  if (!isDataDirLocked(dataDir)) return undefined;
  try {
    return JSON.parse(await readFile(path(dataDir), 'utf8')) as Endpoints;
  } catch {
    return undefined;
  }
}

export async function withdrawEndpoints(dataDir: string): Promise<void> {
  await rm(path(dataDir), { force: true });
}

function path(dataDir: string): string {
  return join(dataDir, 'endpoints.json');
}
