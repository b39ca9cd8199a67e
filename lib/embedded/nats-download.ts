import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

const RELEASE = 'v2.14.5';
/** The SHA-256 of the release's archives, by Node's name for the processor. */
const RELEASE_ARCHIVES: Partial<Record<NodeJS.Architecture, { name: string; sha256: string }>> = {
  x64: { name: 'linux-amd64', sha256: '5e3b603d47c447bda1f77f9ac16dbf91c90aac4ff3681f8fbbc7201e4ed99355' },
  arm64: { name: 'linux-arm64', sha256: '673a98d3faa79dde3f9ebf16d6dfac36a5f694e7ad2015e4954dd7939c85cd4c' },
};

// The time for 7 MB at 1 Mbit/s. If a firewall drops packets, fetch() gives up after 10 s.
const DOWNLOAD_TIMEOUT_MS = 60_000;

/**
 * Fetches the pinned release into `dir` and checks it against its checksum.
 * @returns the path of the program; undefined if there is no release for this platform
 * @throws Error if the release cannot be fetched or has another checksum
 */
export async function downloadRelease(dir: string, log: (line: string) => void): Promise<string | undefined> {
  const archive = process.platform === 'linux' ? RELEASE_ARCHIVES[process.arch] : undefined;
  if (archive === undefined) return undefined;
  const name = `nats-server-${RELEASE}-${archive.name}`;
  const url = `https://github.com/nats-io/nats-server/releases/download/${RELEASE}/${name}.tar.gz`;
  const answer = await fetch(url, { signal: AbortSignal.timeout(DOWNLOAD_TIMEOUT_MS) });
  if (!answer.ok) throw new Error(`${url} answered ${String(answer.status)}`);
  log(`Fetching nats-server ${RELEASE} into .cache once.`);
  const bytes = Buffer.from(await answer.arrayBuffer());
  if (createHash('sha256').update(bytes).digest('hex') !== archive.sha256)
    throw new Error(`${url} has another checksum`);
  const file = join(dir, 'release.tar.gz');
  await writeFile(file, bytes);
  await run('tar', ['-xzf', file, '-C', dir, `${name}/nats-server`]);
  return join(dir, name, 'nats-server');
}
