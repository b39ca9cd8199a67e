import { fork } from 'node:child_process';
import { once } from 'node:events';
import { basename, join } from 'node:path';

/** What a contender's process does when told so. */
export interface Contender {
  /** Works for so long and gives how many operations it has carried out, to their end. */
  run(duration_ms: number, in_flight: number): Promise<number>;
  stop(): Promise<void>;
}

/** The default export of a contender's module; what it is given is plain data. */
export type MakeContender<Input> = (input: Input) => Promise<Contender>;

/** A contender in a process of its own, so that its CPU time is nobody else's. */
export interface RunningContender extends Contender {
  pid: number;
}

/** What the process is told. */
export type Order = { make: string; input: unknown } | { run: { duration_ms: number; in_flight: number } };

/** What the process says. */
export type Answer = { made: true } | { operations: number } | { failed: string };

/**
 * Forks a process with the contender that a module makes.
 * @param module its path
 * @param input plain data
 */
export async function startContender(module: string, input: unknown): Promise<RunningContender> {
  const child = fork(join(import.meta.dirname, 'contender-process.ts'), { serialization: 'advanced' });
  const exited = once(child, 'exit').then((): Answer => ({ failed: 'its process has died' }));
  const ask = async (order: Order): Promise<Answer> => {
    const answered = once(child, 'message').then(([answer]) => answer as Answer);
    child.send(order);
    const answer = await Promise.race([answered, exited]);
    if ('failed' in answer) throw new Error(`${basename(module)}: ${answer.failed}`);
    return answer;
  };
  const stop = async () => {
    child.kill();
    await exited;
  };
  try {
    await ask({ make: module, input });
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    pid: child.pid ?? -1,
    async run(duration_ms, in_flight) {
      const answer = await ask({ run: { duration_ms, in_flight } });
      return 'operations' in answer ? answer.operations : NaN;
    },
    stop,
  };
}

/** `in_flight` loops beside each other until the time is up; gives how often `work` was done. */
export async function keepInFlight(
  duration_ms: number,
  in_flight: number,
  work: (number: number) => Promise<void>,
): Promise<number> {
  const until = performance.now() + duration_ms;
  let begun = 0;
  const loop = async () => {
    while (performance.now() < until) await work(begun++);
  };
  await Promise.all(Array.from({ length: in_flight }, loop));
  return begun;
}
