import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** One life of one process. A pid alone is not enough: it is used again after a crash or a reboot. */
export interface ProcessIdentity {
  pid: number;
  /** When the process was started, in a form of the system's own; compare for equality only. */
  started: string;
}

/** The identity of a running process, or undefined when there is none with this pid. */
export function identityOf(pid: number): ProcessIdentity | undefined {
  if (!isAlive(pid)) return undefined;
  const started = process.platform === 'linux' ? startOnLinux(pid) : ask(pid, 'lstart=');
  return started === undefined ? undefined : { pid, started };
}

/** Whether the process that `identity` was taken of still runs. */
export function stillRuns(identity: ProcessIdentity): boolean {
  return identityOf(identity.pid)?.started === identity.started;
}

/** Whether process `pid` runs and was started with `argument` as one of its arguments. */
export function runsWithArgument(pid: number, argument: string): boolean {
  if (!isAlive(pid)) return false;
  if (process.platform !== 'linux') return ask(pid, 'command=')?.includes(argument) ?? false;
  return (
    readText(`/proc/${String(pid)}/cmdline`)
      ?.split('\0')
      .includes(argument) ?? false
  );
}

/** Whether a process with this pid runs; one that has ended and waits to be collected by its parent does not. */
export function isAlive(pid: number): boolean {
  return hasEntry(pid) && (process.platform !== 'linux' || statFields(pid)?.[0] !== 'Z');
}

/** Whether the system knows this pid, be it of a process that has ended and was not collected yet. */
export function hasEntry(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it is there, and belongs to someone else.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function startOnLinux(pid: number): string | undefined {
  // Field 22 of stat counts clock ticks since the boot, which has an id of its own.
  const ticks = statFields(pid)?.[19];
  const boot = readText('/proc/sys/kernel/random/boot_id')?.trim() ?? '';
  return ticks === undefined ? undefined : `${boot}/${ticks}`;
}

/** The fields of /proc/<pid>/stat from the third on; the second, the name, may itself hold blanks and brackets. */
function statFields(pid: number): string[] | undefined {
  const stat = readText(`/proc/${String(pid)}/stat`);
  return stat?.slice(stat.lastIndexOf(')') + 2).split(' ');
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

function ask(pid: number, column: string): string | undefined {
  try {
    return execFileSync('ps', ['-o', column, '-p', String(pid)], { encoding: 'utf8' }).trim();
  } catch {
    return undefined;
  }
}
