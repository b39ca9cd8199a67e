import { execFile } from 'node:child_process';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

// apt-get update fetches about 10 MB of lists and sorts them.
const APT_TIMEOUT_MS = 120_000;

/** Debian's keys on Debian. Other systems with apt may not have the file; apt then refuses the release. */
const DEBIAN_KEYRING = '/usr/share/keyrings/debian-archive-keyring.gpg';

/**
 * Downloads a package of Debian (or Ubuntu) with apt, which checks its signature, and unpacks it below `dir`. It works
 * without root and changes nothing on the system: package lists that are missing or too old are fetched below `dir` too.
 * @param suite a release of Debian, by its name, instead of the system's own release
 * @throws Error if apt has no such package, or the system cannot check signatures of that release
 */
export async function unpackDebianPackage(
  name: string,
  dir: string,
  log: (line: string) => void,
  suite?: string,
): Promise<void> {
  const lists = join(dir, 'lists');
  const cache = join(dir, 'cache');
  await mkdir(join(lists, 'partial'), { recursive: true });
  await mkdir(join(cache, 'archives', 'partial'), { recursive: true });
  // Run by root, apt would download as another user, which may not enter this directory.
  const asMe = ['-o', 'APT::Sandbox::User=root'];
  const sources = suite === undefined ? [] : await sourcesOf(suite, dir);
  const apart = [...asMe, '-o', `Dir::State::lists=${lists}`, '-o', `Dir::Cache=${cache}`, ...sources];
  const apt = (args: string[]): Promise<unknown> => run('apt-get', args, { cwd: dir, timeout: APT_TIMEOUT_MS });
  const which = suite === undefined ? name : `${name} of Debian ${suite}`;
  log(`Downloading the package ${which} with apt into .cache. This happens once, and installs nothing.`);
  const isDownloaded =
    suite === undefined &&
    (await apt([...asMe, 'download', name]).then(
      () => true,
      () => false,
    ));
  if (!isDownloaded) {
    await apt([...apart, 'update']);
    await apt([...apart, 'download', name]);
  }
  const file = (await readdir(dir)).find((each) => each.endsWith('.deb'));
  if (file === undefined) throw new Error('apt downloaded nothing');
  await run('dpkg-deb', ['-x', join(dir, file), dir]);
}

/** Returns the options with which apt knows this release only. */
async function sourcesOf(suite: string, dir: string): Promise<string[]> {
  const file = join(dir, 'sources.list');
  await writeFile(file, `deb [signed-by=${DEBIAN_KEYRING}] http://deb.debian.org/debian ${suite} main\n`);
  return ['-o', `Dir::Etc::SourceList=${file}`, '-o', 'Dir::Etc::SourceParts=/dev/null'];
}
