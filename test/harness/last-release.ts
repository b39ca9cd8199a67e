/** The code of the last release, from the repository's history. */
import { execFile } from 'node:child_process';
import { mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from './process.ts';
import { LAST_RELEASE } from './releases.ts';

/** The commits of the releases with a fixture. */
const COMMITS: Record<string, string> = { '0.1.0': 'ad4e71e7703b9ad4556db0fea266bddd700eaf97' };

const run = promisify(execFile);

/** A folder with the code of a release. */
export interface Checkout {
  root: string;
  remove: () => Promise<void>;
}

/**
 * Writes the code of the last release into a folder of its own. It uses the packages of this one.
 * @returns undefined if the history does not have it, as in a shallow clone
 */
export async function checkOutLastRelease(): Promise<Checkout | undefined> {
  const commit = COMMITS[LAST_RELEASE] ?? '';
  const isThere = await run('git', ['cat-file', '-e', `${commit}^{commit}`], { cwd: ROOT }).then(
    () => true,
    () => false,
  );
  if (!isThere) return undefined;
  const root = await mkdtemp(join(tmpdir(), 'association-release-'));
  const archive = join(root, 'release.tar');
  await run('git', ['archive', '--output', archive, commit], { cwd: ROOT });
  await run('tar', ['-xf', archive, '-C', root]);
  await symlink(join(ROOT, 'node_modules'), join(root, 'node_modules'));
  return { root, remove: () => rm(root, { recursive: true }) };
}
