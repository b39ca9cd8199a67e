import { execFile } from 'node:child_process';
import { mkdtemp, open, rm } from 'node:fs/promises';
import { arch, availableParallelism, cpus, release, tmpdir, totalmem, type } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { findNatsServer } from '../../lib/embedded/nats-binary.ts';
import { findPostgres } from '../../lib/embedded/postgres-binaries.ts';
import { median } from './statistics.ts';

const run = promisify(execFile);

/** PostgreSQL flushes its log in pages of this size. */
const FLUSH_BYTES = 8_192;
/** Long enough to meet one of a virtual disk's stalls. */
const FLUSH_MS = 10_000;
const BYTES_PER_MIB = 1_048_576;

/** The machine and software of a measurement, without names of machines or paths. */
export interface Machine {
  hardware: string;
  /** Median time to flush an 8 KiB write in the folder of the databases. */
  flush_us: number;
  /** The longest of these flushes in ten seconds. */
  longest_flush_ms: number;
  software: string;
  commit: string;
}

export async function describeMachine(log: (line: string) => void): Promise<Machine> {
  const postgres = await versionOf((await findPostgres()).postgres);
  const nats = await versionOf(await findNatsServer(log));
  const memory_mib = Math.round(totalmem() / BYTES_PER_MIB);
  const cpu = cpus()[0]?.model.trim() ?? 'unknown';
  return {
    hardware: `${cpu}, ${String(availableParallelism())} cores, ${String(memory_mib)} MiB`,
    ...(await measureFlush()),
    software: `${type()} ${release()} ${arch()}, Node ${process.version}, PostgreSQL ${postgres}, NATS ${nats}`,
    commit: await commit(),
  };
}

async function measureFlush(): Promise<Pick<Machine, 'flush_us' | 'longest_flush_ms'>> {
  const dir = await mkdtemp(join(tmpdir(), 'association-flush-'));
  const file = await open(join(dir, 'file'), 'w');
  try {
    const page = Buffer.alloc(FLUSH_BYTES, 1);
    const times_us: number[] = [];
    for (const end_ms = performance.now() + FLUSH_MS; performance.now() < end_ms;) {
      const began_ms = performance.now();
      await file.write(page, 0, FLUSH_BYTES, 0);
      await file.datasync();
      times_us.push((performance.now() - began_ms) * 1_000);
    }
    const longest_us = times_us.reduce((longest, each) => Math.max(longest, each));
    return { flush_us: Math.round(median(times_us)), longest_flush_ms: Math.round(longest_us / 1_000) };
  } finally {
    await file.close();
    await rm(dir, { recursive: true });
  }
}

async function versionOf(program: string): Promise<string> {
  const { stdout } = await run(program, ['--version'], { cwd: dirname(program) });
  return /\bv?(\d+(?:\.\d+)+)/.exec(stdout)?.[1] ?? 'unknown';
}

/** Returns the measured commit, and whether files differ from it, except results of earlier runs. */
async function commit(): Promise<string> {
  const git = async (...args: string[]) => (await run('git', args, { cwd: import.meta.dirname })).stdout.trim();
  try {
    const changes = await git('status', '--porcelain', '--', ':/lib', ':/services', ':/bench', ':!/bench/results');
    return `${await git('rev-parse', '--short=12', 'HEAD')}${changes === '' ? '' : ' with changes'}`;
  } catch {
    // The tree has no history, or the machine has no git.
    return 'unknown';
  }
}
