import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import type { Context } from 'moleculer';
import type { RunningNode } from '../../../lib/node/node.ts';
import { callOnAnyNode } from '../../../lib/service/call.ts';
import { startLightNode, transporterOf } from '../../harness/light-node.ts';
import { outcomeOf } from '../../harness/refusal.ts';

/** Enough that copies arrive while calls run, and afterwards. */
const CALLS = 50;
/** Longer than the wait before a request is sent again. */
const TIMEOUT_MS = 2_500;
/** Longer than the wait before a request is sent again, and shorter than a node is missed. */
const RESENT_MS = 1_600;
/** Shorter than this wait. */
const BEFORE_COPY_MS = 900;
/** Longer than a request may be under way, and shorter than a node is missed. */
const LATE_MS = 2_000;

describe('a call', function () {
  this.timeout(30_000);
  let nodes: [caller: RunningNode, callee: RunningNode];
  let executed: number[];

  beforeEach(async () => {
    executed = [];
    const add = ({ params: { number } }: Context<{ number: number }>) => executed.push(number);
    const tell = ({ params: { bytes } }: Context<{ bytes: number }>) => 'x'.repeat(bytes);
    nodes = await Promise.all([
      startLightNode('losing', []),
      startLightNode('lost', [{ name: 'lost-work', actions: { add, tell } }]),
    ]);
    await nodes[0].broker.waitForServices('lost-work');
  });
  afterEach(() => Promise.all(nodes.map((node) => node.stop())));

  const numbers = Array.from({ length: CALLS }, (_, index) => index);
  const callAll = () => Promise.all(numbers.map((number) => nodes[0].broker.call('lost-work.add', { number })));

  /** Replaces the function with which a node sends messages of a type. */
  function intercept({ broker }: RunningNode, type: string, act: (send: () => Promise<void>) => Promise<void>): void {
    const transporter = transporterOf(broker);
    const send = transporter.send.bind(transporter);
    transporter.send = (topic, data, meta) => {
      const sending = () => send(topic, data, meta);
      return meta?.packet?.type === type ? act(sending) : sending();
    };
  }

  it('whose request arrives twice is executed once', async () => {
    intercept(nodes[0], 'REQ', async (send) => {
      await send();
      await send();
    });
    await callAll();
    await transporterOf(nodes[0].broker).flush();
    await nodes[0].broker.call('lost-work.add', { number: CALLS });
    expect(executed).to.have.members([...numbers, CALLS]);
  });

  for (const [what, losing] of [
    ['request', 0],
    ['answer', 1],
  ] as const) {
    it(`whose ${what} is lost with the connection is executed once, and answered`, async () => {
      const transporter = transporterOf(nodes[losing].broker);
      const client = transporter.client as { publish: (...args: unknown[]) => void };
      const publish = client.publish.bind(client);
      client.publish = () => undefined;
      const answers = callAll();
      setTimeout(() => (client.publish = publish), 500);
      await answers;
      expect(executed).to.have.members(numbers);
    });
  }

  it('is not sent again until NATS has answered what was sent before', async () => {
    const client = transporterOf(nodes[0].broker).client as unknown as Record<'publish' | 'flush', () => unknown>;
    const real = { publish: client.publish.bind(client), flush: client.flush.bind(client) };
    const topics: unknown[] = [];
    const answers = Promise.withResolvers<void>();
    const silent = { publish: (topic: string) => topics.push(topic), flush: () => answers.promise };
    Object.assign(client, silent);
    const answer = nodes[0].broker.call('lost-work.add', { number: 1 });
    await sleep(RESENT_MS);
    expect(topics.filter((topic) => String(topic).includes('.REQ.'))).to.have.length(1);
    Object.assign(client, real);
    answers.resolve();
    await answer;
    expect(executed).to.deep.equal([1]);
  });

  /** Lets messages wait at a node, in their order, as in the socket of a process that is frozen. */
  async function holdMessages({ broker }: RunningNode): Promise<void> {
    const transporter = transporterOf(broker);
    const receive = transporter.receive.bind(transporter);
    const arrivals: Parameters<typeof receive>[] = [];
    transporter.receive = (...arrival) => void arrivals.push(arrival);
    await sleep(LATE_MS);
    transporter.receive = receive;
    for (const arrival of arrivals) await receive(...arrival);
  }

  it('that its caller has given up is not executed when it arrives (chaos seed 84)', async () => {
    const [caller, callee] = nodes;
    const held = holdMessages(callee);
    expect(await outcomeOf(caller.broker.call('lost-work.add', { number: 1 }, { timeout: 500 }))).to.equal(
      'REQUEST_TIMEOUT',
    );
    await held;
    expect(executed).to.deep.equal([]);
    await caller.broker.call('lost-work.add', { number: 2 });
    expect(executed).to.deep.equal([2]);
  });

  it('that arrives late while its caller still waits is repeated, on the same node if it is the only one', async () => {
    const [{ broker }, callee] = nodes;
    const held = holdMessages(callee);
    expect(await outcomeOf(broker.call('lost-work.add', { number: 1 }))).to.equal('SERVICE_NOT_AVAILABLE');
    await held;
    expect(executed).to.deep.equal([]);

    const heldAgain = holdMessages(callee);
    await callOnAnyNode(broker, 'lost-work.add', { number: 2 }, { reads: false });
    await heldAgain;
    expect(executed).to.deep.equal([2]);
  });

  it('whose copy arrives late is not answered as one that has not run, as the first message may have', async () => {
    const [{ broker }, callee] = nodes;
    const client = transporterOf(broker).client as { publish: (...args: unknown[]) => void };
    const publish = client.publish.bind(client);
    client.publish = () => undefined;
    const answer = broker.call('lost-work.add', { number: 1 });
    await sleep(BEFORE_COPY_MS);
    client.publish = publish;
    await holdMessages(callee);
    expect(executed).to.deep.equal([]);
    // The next copy is in time.
    await answer;
    expect(executed).to.deep.equal([1]);
  });

  it('fails at once if its answer is larger than NATS accepts', async () => {
    const answered = outcomeOf(nodes[0].broker.call('lost-work.tell', { bytes: 9_000_000 }));
    expect(await answered).to.equal('internal_error');
    expect(await nodes[0].broker.call('lost-work.tell', { bytes: 10 })).to.equal('xxxxxxxxxx');
  });

  it('is not executed by a process that has only the name of the one to which it was sent', async () => {
    const [caller, callee] = nodes;
    // The caller would notice the changed instance by a heartbeat, and sometimes give the node up before the timeout.
    caller.broker.registry.discoverer.stopHeartbeatTimers();
    const target = caller.broker.registry.nodes.get(callee.broker.nodeID);
    if (target !== undefined) target.instanceID = 'the lost process';
    const client = transporterOf(caller.broker).client as { publish: (...args: unknown[]) => void };
    const publish = client.publish.bind(client);
    client.publish = () => undefined;
    const answer = outcomeOf(caller.broker.call('lost-work.add', { number: 1 }, { timeout: TIMEOUT_MS }));
    setTimeout(() => (client.publish = publish), 500);
    expect(await answer).to.equal('REQUEST_TIMEOUT');
    expect(executed).to.deep.equal([]);
  });
});
