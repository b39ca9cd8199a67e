/** CPU time and memory of processes as Linux counts them under /proc. */
import { execFileSync } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';

/** The root of each process tree by the name under which its figures are told. */
export type ProcessTrees = Readonly<Record<string, number>>;

/** CPU seconds by the names of the trees. */
export type CpuSeconds = Record<string, number>;

interface ProcessTimes {
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
async function cpuSecondsOf(trees: ProcessTrees): Promise<CpuSeconds> {
  const processes = await readProcesses();
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
  let before = await cpuSecondsOf(trees);
  let after: CpuSeconds | undefined;
  const result = await work({
    began: async () => void (before = await cpuSecondsOf(trees)),
    ended: async () => void (after = await cpuSecondsOf(trees)),
  });
  after ??= await cpuSecondsOf(trees);
  const spent = Object.entries(after).map(([name, seconds]) => [name, seconds - (before[name] ?? 0)] as const);
  return { result, spent: Object.fromEntries(spent) };
}

/** CPU microseconds for each of `operations`, by the names of the trees. */
export function perOperation_us(spent: CpuSeconds, operations: number): Record<string, number> {
  return Object.fromEntries(Object.entries(spent).map(([name, seconds]) => [name, (seconds * US_PER_S) / operations]));
}

/** What a process has in memory (VmRSS), in MiB. */
export async function residentMib(pid: number): Promise<number> {
  const status = await readFile(`/proc/${String(pid)}/status`, 'utf8');
  const kib = /^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1];
  if (kib === undefined) throw new Error(`Process ${String(pid)} has no memory: it has ended`);
  return Number(kib) / KIB_PER_MIB;
}

/** The process that has started this one. */
export async function parentOf(pid: number): Promise<number> {
  const times = await timesOf(pid);
  if (times === undefined) throw new Error(`Process ${String(pid)} has ended`);
  return times.ppid;
}

async function readProcesses(): Promise<Map<number, ProcessTimes>> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
  const found = await Promise.all(pids.map(async (pid) => [pid, await timesOf(pid)] as const));
  return new Map(found.flatMap(([pid, times]) => (times === undefined ? [] : [[pid, times] as const])));
}

/** Undefined for a process that has ended since it was listed. */
async function timesOf(pid: number): Promise<ProcessTimes | undefined> {
  const stat = await readFile(`/proc/${String(pid)}/stat`, 'utf8').catch(() => undefined);
  if (stat === undefined) return undefined;
  // The name may hold spaces and brackets; behind its last bracket are numbers only.
  const fields = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number);
  const ticks = fields.slice(UTIME, CSTIME + 1).reduce((sum, each) => sum + each, 0);
  return { ppid: fields[PPID] ?? 0, seconds: ticks / TICKS_PER_S };
}
