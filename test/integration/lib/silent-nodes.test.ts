import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import type { NatsConnection } from 'nats';
import type { RunningNode } from '../../../lib/node/node.ts';
import { callOnAnyNode } from '../../../lib/service/call.ts';
import { eventually } from '../../harness/eventually.ts';
import { startLightNode, transporterOf, whoService } from '../../harness/light-node.ts';
import { outcomeOf } from '../../harness/refusal.ts';

const PATIENT = { timeout: 20_000 };

describe('a node that no longer answers', function () {
  this.timeout(30_000);
  let caller: RunningNode;
  let silent: RunningNode;
  let other: RunningNode;
  /** Whether the silent node ignores all messages. It still sends heartbeats. */
  let isFrozen = false;

  beforeEach(async () => {
    isFrozen = false;
    [caller, silent, other] = await Promise.all([
      startLightNode('caller', []),
      startLightNode('silent', [whoService()], { admits: () => !isFrozen }),
      startLightNode('other', [whoService()]),
    ]);
    await eventually(() => {
      expect(caller.broker.registry.getActionEndpoints('work.who')?.endpoints).to.have.length(2);
    });
    // Only the answers count in these tests.
    caller.broker.registry.discoverer.checkRemoteNodes = () => undefined;
  });
  afterEach(() => Promise.all([caller, silent, other].map((node) => node.stop())));

  const ask = () => caller.broker.call('work.who', {}, { ...PATIENT, nodeID: 'silent' });
  const isKnown = () => caller.broker.registry.nodes.get('silent')?.available === true;

  it('loses its calls soon if it is frozen, and is called again when it has thawed', async () => {
    isFrozen = true;
    expect(await outcomeOf(ask())).to.equal('REQUEST_REJECTED');
    isFrozen = false;
    await eventually(async () => expect(await ask()).to.equal('silent'));
  });

  it('does not delay reads, which are repeated on another node', async () => {
    isFrozen = true;
    const answers = Array.from({ length: 4 }, () =>
      callOnAnyNode(caller.broker, 'work.who', {}, { reads: true, timeout_ms: PATIENT.timeout }),
    );
    expect(new Set(await Promise.all(answers))).to.deep.equal(new Set(['other']));
  });

  it('loses its calls if it was killed, even if no later call is sent to it', async () => {
    isFrozen = true;
    const asked = outcomeOf(ask());
    // NATS has passed the call on.
    await transporterOf(caller.broker).flush();
    await transporterOf(silent.broker).disconnect();
    expect(await asked).to.equal('REQUEST_REJECTED');
    expect(isKnown()).to.equal(false);
  });

  it('is called again when it has reconnected to NATS, before its next heartbeat', async () => {
    silent.broker.registry.discoverer.stopHeartbeatTimers();
    caller.broker.registry.nodes.disconnected('silent', true);
    await (transporterOf(silent.broker).client as NatsConnection).reconnect();
    await eventually(async () => expect(await ask()).to.equal('silent'));
  });

  it('is not given up by a process that was frozen itself, before that process has read what has arrived', async () => {
    const slow = await startLightNode('slow', [{ name: 'slow', actions: { work } }]);
    await caller.broker.waitForServices('slow');
    Reflect.deleteProperty(caller.broker.registry.discoverer, 'checkRemoteNodes');
    const lost: string[] = [];
    caller.broker.localBus.on('$node.disconnected', ({ node }: { node: { id: string } }) => lost.push(node.id));
    const asked = caller.broker.call('slow.work', {}, PATIENT);
    await sleep(PINGED_AFTER_MS);
    freezeProcess();
    expect(await asked).to.equal('done');
    await sleep(CHECKED_WITHIN_MS);
    expect(lost).to.deep.equal([]);
    await slow.stop();
  });

  it('is not given up while it works on a call', async () => {
    const slow = await startLightNode('slow', [{ name: 'slow', actions: { work } }]);
    await caller.broker.waitForServices('slow');
    expect(await caller.broker.call('slow.work', {}, PATIENT)).to.equal('done');
    await slow.stop();
  });
});

/** By then the node that owes an answer has been pinged. */
const PINGED_AFTER_MS = 1_200;
const CHECKED_WITHIN_MS = 1_200;
/** Longer than heartbeats and answers to pings may be missed. */
const FROZEN_MS = 5_000;

/** Freezes this process, with all nodes of the test. */
function freezeProcess(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, FROZEN_MS);
}

/** Takes longer than a node may owe an answer to a ping. */
const WORK_MS = 4_500;
const work = () => new Promise((resolve) => setTimeout(resolve, WORK_MS, 'done'));
