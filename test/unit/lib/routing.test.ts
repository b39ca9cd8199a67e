import { expect } from 'chai';
import { nodeFor } from '../../../lib/service/routing.ts';
import { testIds } from '../../harness/runtime.ts';

const newId = testIds();
const KEYS = Array.from({ length: 4_000 }, newId);
const NODES = ['host-a-4711', 'host-a-4712', 'host-b-12'];

/** Returns how many keys each node has. */
function shares(nodes: readonly string[]): number[] {
  return nodes.map((node) => KEYS.filter((key) => nodeFor(key, nodes) === node).length);
}

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
      for (const share of shares(nodes)) expect(share, shares(nodes).join()).to.be.within(0.9 * fair, 1.1 * fair);
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
