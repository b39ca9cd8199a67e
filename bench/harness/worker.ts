import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { basename, join } from 'node:path';

/** The result of the default export of a worker's module; input, orders and answers are plain data. */
export interface Worker<Order = void, Answer = void> {
  run(order: Order): Promise<Answer>;
  stop(): Promise<void>;
}

/** A worker in a separate process, so that its CPU time is measured separately. */
export interface RunningWorker<Order, Answer> extends Worker<Order, Answer> {
  pid: number;
}

/** The duration of a load and its number of concurrent operations. */
export interface Load {
  duration_ms: number;
  in_flight: number;
}

/** A message to a worker's process. */
export type Message = { module: string; input: unknown } | { order: unknown };

/** The answer of a worker's process to each message. */
export type Reply = { answer: unknown } | { failed: string };

/**
 * Starts the worker of a module in a separate process.
 * @param module path of the module
 * @throws Error with the module's name if the worker fails or its process ends before it has answered; so does run()
 */
export async function startWorker<Order, Answer>(
  module: string,
  input: unknown,
): Promise<RunningWorker<Order, Answer>> {
  const child = fork(join(import.meta.dirname, 'worker-process.ts'), { serialization: 'advanced' });
  const exited = once(child, 'exit').then((): Reply => ({ failed: 'its process has ended' }));
  async function send(message: Message): Promise<unknown> {
    const replied = once(child, 'message').then(([reply]) => reply as Reply);
    child.send(message);
    const reply = await Promise.race([replied, exited]);
    if ('failed' in reply) throw new Error(`${basename(module)}: ${reply.failed}`);
    return reply.answer;
  }
  const stop = () => endProcess(child);
  try {
    await send({ module, input });
  } catch (error) {
    await stop();
    throw error;
  }
  return { pid: child.pid ?? -1, run: async (order) => (await send({ order })) as Answer, stop };
}

/** Ends a process with SIGTERM and waits until it has exited. */
export async function endProcess(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill();
  await gone;
}
