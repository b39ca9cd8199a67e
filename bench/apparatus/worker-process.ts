import type { Answer, MakeWorker, Order, Worker } from './worker.ts';

let worker: Worker | undefined;

const say = (answer: Answer) => void process.send?.(answer);

async function obey(order: Order): Promise<void> {
  if ('make' in order) {
    const { default: make } = (await import(order.make)) as { default: MakeWorker<unknown> };
    worker = await make(order.input);
    say({ operations: 0 });
  } else if (worker !== undefined) {
    say({ operations: await worker.run(order.run.duration_ms, order.run.in_flight) });
  }
}

process.on('message', (order: Order) => {
  obey(order).catch((error: unknown) => say({ failed: error instanceof Error ? error.message : String(error) }));
});
process.on('disconnect', () => process.exit());
process.on('SIGTERM', () => {
  void worker?.stop().then(() => process.exit());
  if (worker === undefined) process.exit();
});
