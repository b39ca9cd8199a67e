/** CPU time and memory of processes, from Linux's /proc. */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

/** Name of a process tree -> pid of its root. */
export type ProcessTrees = Readonly<Record<string, number>>;

/** Name of a process tree -> CPU seconds. */
export type CpuSeconds = Record<string, number>;

export interface ProcessTimes {
  ppid: number;
  /** CPU seconds of the process and of its children that have ended and were waited for. */
  seconds: number;
}

/** Unit of the times in /proc/<pid>/stat: 100 on nearly every Linux, so a tick is 10 ms. */
const TICKS_PER_S = Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }));

// Indexes of fields in /proc/<pid>/stat after the command's name (their numbers in proc_pid_stat(5) minus 3).
const PPID = 1;
const UTIME = 11;
const CSTIME = 14;

const KIB_PER_MIB = 1024;
const US_PER_S = 1_000_000;

/**
 * Returns the CPU time that each tree has spent so far, including threads and ended processes such as PostgreSQL's
 * backends. The precision is a tick of 10 ms, so measure at least a second.
 */
function cpuSecondsOf(trees: ProcessTrees): CpuSeconds {
  const processes = readProcesses();
  const sum = (root: number) =>
    pidsOf(root, processes).reduce((total, pid) => total + (processes.get(pid)?.seconds ?? 0), 0);
  return Object.fromEntries(
    Object.entries(trees).map(([name, pid]) => {
      if (!processes.has(pid)) throw new Error(`${name} (process ${String(pid)}) has ended while it was measured`);
      return [name, sum(pid)];
    }),
  );
}

/** Returns the process and all that it has started, in any number of steps. */
export function pidsOf(root: number, processes: ReadonlyMap<number, ProcessTimes> = readProcesses()): number[] {
  const children = [...processes].flatMap(([pid, { ppid }]) => (ppid === root ? [pid] : []));
  return [root, ...children.flatMap((pid) => pidsOf(pid, processes))];
}

/** Functions that mark the beginning and the end of the measured part of work. */
export interface Moments {
  began: () => Promise<void>;
  ended: () => Promise<void>;
}

/**
 * Measures the CPU time that each tree spends during `work`. Work that includes preparation or cleanup calls the
 * moments; otherwise all of it counts.
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

/** Returns the CPU microseconds per operation of each tree. */
export function perOperation_us(spent: CpuSeconds, operations: number): Record<string, number> {
  return Object.fromEntries(Object.entries(spent).map(([name, seconds]) => [name, (seconds * US_PER_S) / operations]));
}

/** Returns the resident memory of a process (VmRSS) in MiB. */
export function residentMib(pid: number): number {
  const status = readFileSync(`/proc/${String(pid)}/status`, 'utf8');
  const kib = /^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1];
  if (kib === undefined) throw new Error(`Process ${String(pid)} has ended`);
  return Number(kib) / KIB_PER_MIB;
}

/** Returns all processes of this machine by pid. */
export function readProcesses(): Map<number, ProcessTimes> {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return new Map(
    pids.flatMap((pid) => {
      try {
        return [[Number(pid), timesIn(readFileSync(`/proc/${pid}/stat`, 'utf8'))] as const];
      } catch {
        // The process has ended since it was listed.
        return [];
      }
    }),
  );
}

function timesIn(stat: string): ProcessTimes {
  // The name may contain spaces and brackets; after its last bracket there are only numbers.
  const fields = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number);
  const ticks = fields.slice(UTIME, CSTIME + 1).reduce((sum, each) => sum + each, 0);
  return { ppid: fields[PPID] ?? 0, seconds: ticks / TICKS_PER_S };
}
