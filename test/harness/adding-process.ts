/**
 * Runs a node in a separate process, for tests that freeze it. Its action returns the numbers that it was called with so far. The
 * process ends when its parent ends.
 */
import type { Context } from 'moleculer';
import { startLightNode } from './light-node.ts';

const numbers: number[] = [];
const add = ({ params: { number } }: Context<{ number: number }>): number[] => {
  numbers.push(number);
  return numbers;
};

const { broker } = await startLightNode('adding', [{ name: 'adding', actions: { add } }], {
  nats: process.env.ADDING_NATS_URL!,
});
process.on('disconnect', () => process.exit(1));
process.send?.(broker.nodeID);
