import { execFile } from 'node:child_process';
import { cp, mkdir, readdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { root } from './project-files.ts';

const run = promisify(execFile);

/** The folder of the client package. */
export const CLIENT_FOLDER = join(root, 'clients', 'typescript');

/** Runs `npm pack` in a copy of the client package, since building writes into the folder. @returns the archive's path */
export async function packClient(work: string): Promise<string> {
  const copy = join(work, 'client');
  await cp(CLIENT_FOLDER, copy, { recursive: true, filter: (path) => !/\/(node_modules|dist)$/.test(path) });
  await symlink(join(root, 'node_modules'), join(work, 'node_modules'));
  return pack(copy, join(work, 'packed-client'));
}

/**
 * Packs the client and installs it with npm in an empty folder. What it depends on is packed from this project's packages, so
 * that nothing is downloaded.
 */
export async function installClient(folder: string, work: string): Promise<void> {
  const archives = [await packClient(work)];
  for (const name of ['openapi-fetch', 'openapi-typescript-helpers']) {
    archives.push(await pack(join(root, 'node_modules', name), join(work, name)));
  }
  await run('npm', ['install', '--offline', '--prefix', folder, ...archives], { cwd: folder });
}

/** Runs `npm pack` in a folder. @returns the archive's path */
async function pack(folder: string, into: string): Promise<string> {
  await mkdir(into);
  await run('npm', ['pack', '--pack-destination', into], { cwd: folder });
  const [archive = 'none'] = await readdir(into);
  return join(into, archive);
}
