/** The process of a worker (worker.ts). */
import type { Message, Reply, Worker } from './worker.ts';

type AnyWorker = Worker<unknown, unknown>;

let worker: AnyWorker | undefined;

async function answer(message: Message): Promise<unknown> {
  if ('order' in message) return await worker?.run(message.order);
  const { default: make } = (await import(message.module)) as { default: (input: unknown) => Promise<AnyWorker> };
  worker = await make(message.input);
  return undefined;
}

process.on('message', (message: Message) => {
  answer(message).then(
    (value) => process.send?.({ answer: value } satisfies Reply),
    (error: unknown) =>
      process.send?.({ failed: error instanceof Error ? error.message : String(error) } satisfies Reply),
  );
});
// The parent process has ended.
process.on('disconnect', () => process.exit());
process.on('SIGTERM', () => {
  void Promise.resolve(worker?.stop()).finally(() => process.exit());
});
