import { expect } from 'chai';
import type { RunningNode } from '../../../lib/node/node.ts';
import { startLightNode, transporterOf } from '../../harness/light-node.ts';

/** Enough that copies arrive while calls run, and afterwards. */
const CALLS = 50;

describe('a request that arrives twice', () => {
  let nodes: [caller: RunningNode, callee: RunningNode];
  let executed = 0;

  before(async () => {
    const add = () => (executed += 1);
    nodes = await Promise.all([
      startLightNode('repeating', []),
      startLightNode('repeated', [{ name: 'repeated-work', actions: { add } }]),
    ]);
    await nodes[0].broker.waitForServices('repeated-work');
  });
  after(() => Promise.all(nodes.map((node) => node.stop())));

  it('is executed once', async () => {
    const { broker } = nodes[0];
    const transporter = transporterOf(broker);
    const send = transporter.send.bind(transporter);
    transporter.send = async (...message: Parameters<typeof send>) => {
      await send(...message);
      await send(...message);
    };
    await Promise.all(Array.from({ length: CALLS }, () => broker.call('repeated-work.add')));
    await transporter.flush();
    await broker.call('repeated-work.add');
    expect(executed).to.equal(CALLS + 1);
  });
});
