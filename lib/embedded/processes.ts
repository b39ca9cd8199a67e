import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** Whether a process with this pid runs, and is not only waiting to be reaped by its parent. */
export function isAlive(pid: number): boolean {
  return isKnownPid(pid) && commandOf(pid) !== '';
}

/** Whether process `pid` runs and was started with `argument`: the pid may have been given to another program. */
export function runsWithArgument(pid: number, argument: string): boolean {
  return isKnownPid(pid) && commandOf(pid).includes(` ${argument} `);
}

/** Whether the system knows this pid, even if the process has ended and was not reaped yet. */
export function isKnownPid(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: the process exists, and belongs to another user.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Returns the program and its arguments, each followed by a space; empty for a process that has ended. */
function commandOf(pid: number): string {
  try {
    if (process.platform === 'linux') return readFileSync(`/proc/${String(pid)}/cmdline`, 'utf8').replaceAll('\0', ' ');
    return `${execFileSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8' }).trim()} `;
  } catch {
    return '';
  }
}
