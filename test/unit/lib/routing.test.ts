import { expect } from 'chai';
import { nodeFor } from '../../../lib/service/routing.ts';
import { testIds } from '../../harness/runtime.ts';

const newId = testIds();
const KEYS = Array.from({ length: 40_000 }, newId);
const NODES = ['host-a-4711', 'host-a-4712', 'host-b-12'];

/** Returns how many keys each node has. */
function shares(nodes: readonly string[]): number[] {
  const counts = new Map(nodes.map((node) => [node, 0]));
  for (const key of KEYS) counts.set(nodeFor(key, nodes)!, counts.get(nodeFor(key, nodes)!)! + 1);
  return [...counts.values()];
}

/**
 * How far a share may be from a fair one, in standard deviations of a binomial distribution. The keys are random, so that a
 * fair choice exceeds this in 1 of 500 million shares; it is 6 % of a share of 5 nodes.
 */
const DEVIATIONS_MAX = 6;

describe('the node of a key', () => {
  it('does not depend on the order of the nodes', () => {
    for (const key of KEYS) expect(nodeFor(key, NODES.toReversed())).to.equal(nodeFor(key, NODES));
  });

  it('is none if there is no node', () => {
    expect(nodeFor('key', [])).to.equal(undefined);
  });

  it('spreads the keys evenly', () => {
    for (const nodes of [NODES.slice(1), NODES, [...NODES, 'node-d', 'node-e']]) {
      const fair = KEYS.length / nodes.length;
      const deviation = Math.sqrt(fair * (1 - 1 / nodes.length));
      const counts = shares(nodes);
      for (const count of counts) expect(count, counts.join()).to.be.closeTo(fair, DEVIATIONS_MAX * deviation);
    }
  });

  it('changes for the keys of a node that leaves, and for no others', () => {
    const left = NODES.slice(1);
    for (const key of KEYS) {
      const before = nodeFor(key, NODES)!;
      if (left.includes(before)) expect(nodeFor(key, left)).to.equal(before);
    }
  });
});
