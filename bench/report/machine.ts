import { execFile } from 'node:child_process';
import { mkdtemp, open, rm, statfs } from 'node:fs/promises';
import { arch, availableParallelism, cpus, release, tmpdir, totalmem, type } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { findNatsServer } from '../../lib/embedded/nats-binary.ts';
import { findPostgres } from '../../lib/embedded/postgres-binaries.ts';
import { median } from './statistics.ts';

const run = promisify(execFile);

/** PostgreSQL flushes its log in pages of this size. */
const FLUSH_BYTES = 8_192;
/** Some 100 ms on a disk of the slower kind. */
const FLUSHES = 50;
const BYTES_PER_MIB = 1_048_576;
/** The magic numbers of file systems that a flush means nothing to, or that need a name here; see statfs(2). */
const FILE_SYSTEMS: ReadonlyMap<number, string> = new Map([
  [0xef53, 'ext4'],
  [0x58465342, 'xfs'],
  [0x9123683e, 'btrfs'],
  [0x01021994, 'tmpfs'],
  [0x794c7630, 'overlayfs'],
]);

/** What the figures were measured on. Nothing in it says whose machine it is, or where things are on it. */
export interface Machine {
  cores: number;
  cpu: string;
  memory_mib: number;
  /** Where the databases are. */
  file_system: string;
  /** How long an 8 KiB write takes there to be flushed, at the median. */
  flush_us: number;
  kernel: string;
  node: string;
  postgres: string;
  nats: string;
  commit: string;
}

export async function aboutMachine(log: (line: string) => void): Promise<Machine> {
  return {
    cores: availableParallelism(),
    cpu: cpus()[0]?.model.trim() ?? 'unknown',
    memory_mib: Math.round(totalmem() / BYTES_PER_MIB),
    file_system: await fileSystem(),
    flush_us: await flushTime(),
    kernel: `${type()} ${release()} ${arch()}`,
    node: process.version,
    postgres: await versionOf((await findPostgres()).postgres),
    nats: await versionOf(await findNatsServer(log)),
    commit: await commit(),
  };
}

async function fileSystem(): Promise<string> {
  const { type: magic } = await statfs(tmpdir());
  return FILE_SYSTEMS.get(magic) ?? `type 0x${magic.toString(16)}`;
}

async function flushTime(): Promise<number> {
  const dir = await mkdtemp(join(tmpdir(), 'association-bench-flush-'));
  const file = await open(join(dir, 'file'), 'w');
  try {
    const page = Buffer.alloc(FLUSH_BYTES, 1);
    const times_us: number[] = [];
    for (let index = 0; index < FLUSHES; index += 1) {
      const began_ms = performance.now();
      await file.write(page, 0, FLUSH_BYTES, 0);
      await file.datasync();
      times_us.push((performance.now() - began_ms) * 1_000);
    }
    return Math.round(median(times_us));
  } finally {
    await file.close();
    await rm(dir, { recursive: true });
  }
}

async function versionOf(program: string): Promise<string> {
  const { stdout } = await run(program, ['--version'], { cwd: dirname(program) });
  return /\d+(\.\d+)+/.exec(stdout)?.[0] ?? 'unknown';
}

/** The commit that was measured, and whether files differed from it. What earlier runs have written does not count. */
async function commit(): Promise<string> {
  const options = { cwd: import.meta.dirname };
  try {
    const { stdout: id } = await run('git', ['rev-parse', '--short=12', 'HEAD'], options);
    const { stdout: changes } = await run(
      'git',
      ['status', '--porcelain', '--', ':/lib', ':/services', ':/bench', ':!/bench/results'],
      options,
    );
    return changes.trim() === '' ? id.trim() : `${id.trim()} with changes`;
  } catch {
    // A copy without its history, or a machine without git: the figures are as good, only less well told apart.
    return 'unknown';
  }
}
