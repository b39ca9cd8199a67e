import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import type { RunningNode } from '../../../lib/node/node.ts';
import { eventually } from '../../harness/eventually.ts';
import { startLightNode, whoService } from '../../harness/light-node.ts';

const NODES = 60;
/** What docs/scaling.md promises: heartbeats that a node gets in a second, regardless of the number of nodes. */
const HEARTBEATS_MAX_PER_S = 20;
/** Several intervals of 60 nodes. */
const OBSERVED_S = 7;
/** To the other nodes that start: a question, an answer and an announcement. */
const JOIN_MAX_MESSAGES = 3 * NODES;
const JOINED_MS = 60_000;

describe(`${String(NODES)} nodes`, function () {
  this.timeout(120_000);
  const nodes: RunningNode[] = [];
  /** The messages that each node has got, by type. */
  const received: Map<string, number>[] = [];

  before(async () => {
    nodes.push(...(await Promise.all(Array.from({ length: NODES }, (_, index) => start(index)))));
  });
  after(() => Promise.all(nodes.map((node) => node.stop())));

  function start(index: number): Promise<RunningNode> {
    const counts = new Map<string, number>();
    received[index] = counts;
    return startLightNode(`light-${String(index)}`, [whoService()], {
      admits: (type) => {
        counts.set(type, (counts.get(type) ?? 0) + 1);
        return true;
      },
    });
  }

  const most = (type: string) => Math.max(...received.map((counts) => counts.get(type) ?? 0));

  it('that start at once know one another after a few messages for each', async () => {
    await eventually(() => {
      const known = nodes.map(({ broker }) => broker.registry.getActionEndpoints('work.who')?.endpoints.length);
      expect(new Set(known)).to.deep.equal(new Set([NODES]));
    }, JOINED_MS);
    expect(most('DISCOVER') + most('INFO')).to.be.at.most(JOIN_MAX_MESSAGES);
  });

  it('get no more heartbeats than a few nodes do, and stay available', async () => {
    const before = received.map((counts) => counts.get('HEARTBEAT') ?? 0);
    const began_ms = performance.now();
    await sleep(OBSERVED_S * 1_000);
    const observed_s = (performance.now() - began_ms) / 1_000;
    const after = received.map((counts, index) => (counts.get('HEARTBEAT') ?? 0) - before[index]!);
    // Those of the last interval may all come within the time.
    expect(Math.max(...after)).to.be.within(1, observed_s * HEARTBEATS_MAX_PER_S + NODES);
    for (const { broker } of nodes) expect(broker.registry.nodes.onlineCount()).to.equal(NODES);
    expect(most('DISCOVER') + most('INFO')).to.be.at.most(JOIN_MAX_MESSAGES);
  });
});
