import { fork } from 'node:child_process';
import { once } from 'node:events';
import { endProcess } from './end-process.ts';

/** What every forked process may say instead of its answer. */
export interface Failed {
  failed: string;
}

/** A process of the benchmark's own that answers one order at a time. */
export interface Forked<Order, Answer> {
  pid: number;
  /** @throws with the process's name if it says that it has failed, or dies before it has answered */
  ask: (order: Order) => Promise<Answer>;
  stop: () => Promise<void>;
}

/**
 * Forks a process and gives it its first order.
 * @param script the path of its module
 * @param name for errors
 */
export async function startForked<Order extends object | string, Answer extends object>(
  script: string,
  name: string,
  first: Order,
): Promise<Forked<Order, Answer>> {
  const child = fork(script, { serialization: 'advanced' });
  const exited = once(child, 'exit').then((): Failed => ({ failed: 'its process has died' }));
  const ask = async (order: Order): Promise<Answer> => {
    const answered = once(child, 'message').then(([answer]) => answer as Answer | Failed);
    child.send(order);
    const answer = await Promise.race([answered, exited]);
    if ('failed' in answer) throw new Error(`${name}: ${answer.failed}`);
    return answer;
  };
  const stop = () => endProcess(child);
  try {
    await ask(first);
  } catch (error) {
    await stop();
    throw error;
  }
  return { pid: child.pid ?? -1, ask, stop };
}
