import { readFileSync } from 'node:fs';

/** Of the figures after `cpu` in the first line of /proc/stat, counted from zero; see proc_stat(5). */
const STEAL = 7;
/** What follows, the time of guests, is in the first figures already. */
const FIGURES = 8;

/** The CPU time of all cores since the machine was started, in the kernel's ticks. */
export interface CpuTicks {
  all: number;
  /** What the host of a virtual machine gave to others while this one had work to do. */
  stolen: number;
}

/** What the first line of /proc/stat says. */
export function ticksIn(stat: string): CpuTicks {
  const figures = stat
    .split('\n', 1)[0]!
    .split(/ +/)
    .slice(1, 1 + FIGURES)
    .map(Number);
  return { all: figures.reduce((sum, each) => sum + each, 0), stolen: figures[STEAL] ?? 0 };
}

/**
 * Counts, from now on, how much of this machine's CPU time its host gives to others: what is measured meanwhile is
 * slower for it, though nothing here is.
 * @returns says the share so far, 0 to 1; undefined where the system doesn't say it
 */
export function countStolen(): () => number | undefined {
  const began = readTicks();
  return () => {
    const now = readTicks();
    if (began === undefined || now === undefined || now.all === began.all) return undefined;
    return (now.stolen - began.stolen) / (now.all - began.all);
  };
}

function readTicks(): CpuTicks | undefined {
  try {
    return ticksIn(readFileSync('/proc/stat', 'utf8'));
  } catch {
    // Only Linux has it, and what is measured does not need it.
    return undefined;
  }
}
