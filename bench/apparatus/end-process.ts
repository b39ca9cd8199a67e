import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';

/** Ends a process as ops do, with SIGTERM, and waits until it is gone; one that has ended already is fine. */
export async function endProcess(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill();
  await gone;
}
