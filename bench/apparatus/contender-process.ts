import type { Answer, Contender, MakeContender, Order } from './contender.ts';

let contender: Contender | undefined;

const say = (answer: Answer) => void process.send?.(answer);

async function obey(order: Order): Promise<void> {
  if ('make' in order) {
    const { default: make } = (await import(order.make)) as { default: MakeContender<unknown> };
    contender = await make(order.input);
    say({ made: true });
  } else if (contender !== undefined) {
    say({ operations: await contender.run(order.run.duration_ms, order.run.in_flight) });
  }
}

process.on('message', (order: Order) => {
  obey(order).catch((error: unknown) => say({ failed: error instanceof Error ? error.message : String(error) }));
});
process.on('disconnect', () => process.exit());
process.on('SIGTERM', () => {
  void contender?.stop().then(() => process.exit());
  if (contender === undefined) process.exit();
});
