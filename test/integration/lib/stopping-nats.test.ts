import { expect } from 'chai';
import type { Context } from 'moleculer';
import type { NatsConnection } from 'nats';
import type { RunningNode } from '../../../lib/node/node.ts';
import type { Discoverer } from '../../../lib/transport/discoverer.ts';
import { eventually } from '../../harness/eventually.ts';
import { callOfNode, startLightNode, transporterOf } from '../../harness/light-node.ts';
import { startNatsCluster, urlOf, type TestNats } from '../../harness/nats.ts';
import { outcomeOf } from '../../harness/refusal.ts';

/** Enough that each moment of the move has calls under way. */
const IN_FLIGHT = 50;

/** As in deploy/nats/nats.conf. */
const GRACE = 'lame_duck_grace_period: 3s';
const STOP_MAX_MS = 20_000;

describe('a NATS server that is about to stop', function () {
  this.timeout(60_000);
  let servers: TestNats[];
  let nodes: [caller: RunningNode, callee: RunningNode];
  /** How often each call was executed. */
  let executed: Map<number, number>;

  beforeEach(async () => {
    servers = await startNatsCluster(GRACE);
    executed = new Map();
    const nats = urlOf(servers);
    const add = ({ params: { call } }: Context<{ call: number }>) => {
      executed.set(call, (executed.get(call) ?? 0) + 1);
    };
    nodes = await Promise.all([
      startLightNode('caller', [], { nats }),
      startLightNode('callee', [{ name: 'work', actions: { add } }], { nats }),
    ]);
    await nodes[0].broker.waitForServices('work');
  });
  afterEach(async () => {
    await Promise.all(nodes.map((node) => node.stop()));
    await Promise.all(servers.map((server) => server.stop()));
  });

  it('neither loses nor repeats a call of the nodes that are connected to it', async () => {
    let begun = 0;
    let isStopping = true;
    const outcomes = new Set<string>();
    const callUntilStopped = async () => {
      while (isStopping) outcomes.add(await outcomeOf(nodes[0].broker.call('work.add', { call: begun++ })));
    };
    const callers = Array.from({ length: IN_FLIGHT }, callUntilStopped);
    // The second has the caller too, if its node has moved there.
    for (const node of nodes) {
      await stopServerOf(node);
    }
    isStopping = false;
    await Promise.all(callers);
    expect([...outcomes]).to.deep.equal(['done']);
    expect(executed.size).to.equal(begun);
    expect([...new Set(executed.values())]).to.deep.equal([1]);
  });

  it('does not lead to new calls of a node that is stopping itself', async () => {
    const [{ broker }, callee] = nodes;
    const call = callOfNode(broker, 'work.add', 'callee');
    expect(await outcomeOf(call({ call: 1 }))).to.equal('done');
    await (callee.broker.registry.discoverer as Discoverer).leave();
    await stopServerOf(callee);
    expect(await outcomeOf(call({ call: 2 }))).to.equal('SERVICE_NOT_AVAILABLE');
  });

  async function stopServerOf(node: RunningNode): Promise<void> {
    const { process: server } = serverOf(node);
    server.child.kill('SIGUSR2');
    await eventually(() => expect(server.hasEnded()).to.equal(true), STOP_MAX_MS);
  }

  function serverOf({ broker }: RunningNode): TestNats {
    const client = transporterOf(broker).client as NatsConnection;
    const server = servers.find(({ port }) => client.getServer().endsWith(`:${String(port)}`));
    if (server === undefined) throw new Error(`No server at ${client.getServer()}`);
    return server;
  }
});
