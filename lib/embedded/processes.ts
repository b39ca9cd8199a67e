import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** Whether a process with this pid runs; one that has ended and waits to be collected by its parent does not. */
export function isAlive(pid: number): boolean {
  return hasEntry(pid) && commandOf(pid) !== '';
}

/** Whether process `pid` runs and was started with `argument`: a pid alone may be another program's by now. */
export function runsWithArgument(pid: number, argument: string): boolean {
  return hasEntry(pid) && commandOf(pid).includes(` ${argument} `);
}

/** Whether the system knows this pid, even of a process that has ended and was not collected yet. */
export function hasEntry(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it is there, and belongs to another user.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** The program and its arguments, each with a blank after it; empty for a process that has ended. */
function commandOf(pid: number): string {
  try {
    if (process.platform === 'linux') return readFileSync(`/proc/${String(pid)}/cmdline`, 'utf8').replaceAll('\0', ' ');
    return `${execFileSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8' }).trim()} `;
  } catch {
    return '';
  }
}
