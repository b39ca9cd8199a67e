import { getPriority, setPriority } from 'node:os';

/**
 * Nice value of processes without the gateway. With equal priorities on two shared cores, 1 % of the refusals at three times the
 * capacity took longer than 117 to 307 ms; with this value 54 to 74 ms, and 15 % more requests were answered. 5 had little
 * effect.
 */
const BEHIND_GATEWAY = 10;

/**
 * Lets the gateway run first on cores that it shares with this process, so that it refuses at once what exceeds the capacity.
 * Threads that are started afterwards inherit the priority.
 */
export function runBehindGateway(): void {
  // Only a privileged process may raise its priority, as one that was started with `nice -n 15` would.
  setPriority(Math.max(getPriority(), BEHIND_GATEWAY));
}
