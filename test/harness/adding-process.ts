/**
 * Runs a node in a separate process, for tests that freeze it. Its action returns the numbers that it was called with so far. The
 * process ends when its parent ends.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Context } from 'moleculer';
import { hasBecomeLate } from '../../lib/transport/late-requests.ts';
import { startLightNode } from './light-node.ts';

const numbers: number[] = [];
const add = ({ params: { number } }: Context<{ number: number }>): number[] => {
  numbers.push(number);
  return numbers;
};

/** Whether it must not begin any more after it has waited. */
const wait = async (ctx: Context<{ ms: number }, object>): Promise<boolean> => {
  await sleep(ctx.params.ms);
  return hasBecomeLate(ctx);
};

const { broker } = await startLightNode('adding', [{ name: 'adding', actions: { add, wait } }], {
  nats: process.env.ADDING_NATS_URL!,
});
process.on('disconnect', () => process.exit(1));
process.send?.(broker.nodeID);
