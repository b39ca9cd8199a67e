/** CPU time and memory of processes as Linux counts them under /proc. */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

/** The root of each process tree by the name of its figures. */
export type ProcessTrees = Readonly<Record<string, number>>;

/** CPU seconds by the names of the trees. */
export type CpuSeconds = Record<string, number>;

export interface ProcessTimes {
  ppid: number;
  /** Its own, and that of its children that have ended and were collected. */
  seconds: number;
}

/** In which unit /proc/<pid>/stat counts: 100 on nearly every Linux, that is, one tick is 10 ms. */
const TICKS_PER_S = Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }));

// Where these fields stand in /proc/<pid>/stat, counted after the command's name (proc_pid_stat(5): minus 3).
const PPID = 1;
const UTIME = 11;
const CSTIME = 14;

const KIB_PER_MIB = 1024;
const US_PER_S = 1_000_000;

/**
 * The CPU time that each tree has spent so far, its threads and its ended processes included (the backends of
 * PostgreSQL come and go). Precise to a tick of 10 ms: measure a second or more.
 */
function cpuSecondsOf(trees: ProcessTrees): CpuSeconds {
  const processes = readProcesses();
  const children = Map.groupBy(processes.keys(), (pid) => processes.get(pid)?.ppid ?? 0);
  const sum = (pid: number): number => {
    const own = processes.get(pid)?.seconds ?? 0;
    return (children.get(pid) ?? []).reduce((total, child) => total + sum(child), own);
  };
  return Object.fromEntries(
    Object.entries(trees).map(([name, pid]) => {
      if (!processes.has(pid)) throw new Error(`${name} (process ${String(pid)}) has ended while it was measured`);
      return [name, sum(pid)];
    }),
  );
}

/** Where work says that the part of it begins and ends that counts. */
export interface Moments {
  began: () => Promise<void>;
  ended: () => Promise<void>;
}

/**
 * The CPU time that each tree has spent during `work`, and what came of it. Work that makes ready or clears up in
 * between calls the moments; without them all of it counts.
 */
export async function cpuDuring<Result>(
  trees: ProcessTrees,
  work: (moments: Moments) => Promise<Result>,
): Promise<{ result: Result; spent: CpuSeconds }> {
  let before = cpuSecondsOf(trees);
  let after: CpuSeconds | undefined;
  const result = await work({
    began: () => Promise.resolve(void (before = cpuSecondsOf(trees))),
    ended: () => Promise.resolve(void (after = cpuSecondsOf(trees))),
  });
  after ??= cpuSecondsOf(trees);
  const spent = Object.entries(after).map(([name, seconds]) => [name, seconds - (before[name] ?? 0)] as const);
  return { result, spent: Object.fromEntries(spent) };
}

/** CPU microseconds for each of `operations`, by the names of the trees. */
export function perOperation_us(spent: CpuSeconds, operations: number): Record<string, number> {
  return Object.fromEntries(Object.entries(spent).map(([name, seconds]) => [name, (seconds * US_PER_S) / operations]));
}

/** What a process has in memory (VmRSS), in MiB. */
export function residentMib(pid: number): number {
  const status = readFileSync(`/proc/${String(pid)}/status`, 'utf8');
  const kib = /^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1];
  if (kib === undefined) throw new Error(`Process ${String(pid)} has no memory: it has ended`);
  return Number(kib) / KIB_PER_MIB;
}

/** Every process of this machine, by pid. */
export function readProcesses(): Map<number, ProcessTimes> {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return new Map(
    pids.flatMap((pid) => {
      try {
        return [[Number(pid), timesIn(readFileSync(`/proc/${pid}/stat`, 'utf8'))] as const];
      } catch {
        // It has ended since it was listed.
        return [];
      }
    }),
  );
}

function timesIn(stat: string): ProcessTimes {
  // The name may hold spaces and brackets; behind its last bracket are numbers only.
  const fields = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number);
  const ticks = fields.slice(UTIME, CSTIME + 1).reduce((sum, each) => sum + each, 0);
  return { ppid: fields[PPID] ?? 0, seconds: ticks / TICKS_PER_S };
}
