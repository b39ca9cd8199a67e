import { execFile } from 'node:child_process';
import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

// apt-get update fetches about 10 MB of lists and sorts them.
const APT_TIMEOUT_MS = 120_000;

/**
 * Downloads a package of Debian (or Ubuntu) with apt, which checks its signature, and unpacks it below `dir`. It works
 * without root and changes nothing on the system: package lists that are missing or too old are fetched below `dir` too.
 * @throws Error if apt has no such package
 */
export async function unpackDebianPackage(name: string, dir: string, log: (line: string) => void): Promise<void> {
  const lists = join(dir, 'lists');
  const cache = join(dir, 'cache');
  await mkdir(join(lists, 'partial'), { recursive: true });
  await mkdir(join(cache, 'archives', 'partial'), { recursive: true });
  // Run by root, apt would download as another user, which may not enter this directory.
  const asMe = ['-o', 'APT::Sandbox::User=root'];
  const apart = [...asMe, '-o', `Dir::State::lists=${lists}`, '-o', `Dir::Cache=${cache}`];
  const apt = (args: string[]): Promise<unknown> => run('apt-get', args, { cwd: dir, timeout: APT_TIMEOUT_MS });
  log(`Downloading the package ${name} with apt into .cache. This happens once, and installs nothing.`);
  try {
    await apt([...asMe, 'download', name]);
  } catch {
    await apt([...apart, 'update']);
    await apt([...apart, 'download', name]);
  }
  const file = (await readdir(dir)).find((each) => each.endsWith('.deb'));
  if (file === undefined) throw new Error('apt downloaded nothing');
  await run('dpkg-deb', ['-x', join(dir, file), dir]);
}
