import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import type { RunningNode } from '../../../lib/node/node.ts';
import { callOnAnyNode } from '../../../lib/service/call.ts';
import { eventually } from '../../harness/eventually.ts';
import { startLightNode, transporterOf } from '../../harness/light-node.ts';
import { startProcess, type Started } from '../../harness/process.ts';
import { outcomeOf } from '../../harness/refusal.ts';
import { natsUrl } from '../../harness/servers.ts';

const ADDING_PROCESS = join(import.meta.dirname, '..', '..', 'harness', 'adding-process.ts');

const PATIENT = { timeout: 20_000 };

/** A call that was sent this long ago must not begin any more. */
const TOO_OLD_MS = 2_000;

describe('a write whose node is frozen and given up', function () {
  this.timeout(30_000);
  let caller: RunningNode;
  let adding: Started;

  beforeEach(async () => {
    adding = startProcess([ADDING_PROCESS], { env: { ...process.env, ADDING_NATS_URL: natsUrl() }, ipc: true });
    [caller] = await Promise.all([startLightNode('caller', []), once(adding.child, 'message')]);
    await caller.broker.waitForServices('adding');
    expect(await add(1)).to.deep.equal([1]);
    // The tests choose when the node is given up.
    caller.broker.registry.discoverer.stopHeartbeatTimers();
  });
  afterEach(async () => {
    await adding.end('SIGKILL');
    await caller.stop();
  });

  const add = (number: number) => caller.broker.call('adding.add', { number }, { ...PATIENT, nodeID: 'adding' });
  const write = (number: number) => callOnAnyNode(caller.broker, 'adding.add', { number }, { reads: false });

  /** Counts the messages of calls that are sent, and loses as many of the first as is said. */
  function countSent(lost: number): () => number {
    const client = transporterOf(caller.broker).client as { publish: (...args: unknown[]) => void };
    const publish = client.publish.bind(client);
    let sent = 0;
    client.publish = (topic, ...args) => {
      if (!String(topic).includes('.REQ.') || ++sent > lost) publish(topic, ...args);
    };
    return () => sent;
  }

  for (const [what, lost, given_up_after] of [
    ['it was sent', 0, 1],
    ['a copy of it was sent, and the first message lost', 1, 2],
  ] as const) {
    it(`has no effect after its caller was told of it, even if that is as soon as ${what} (seed 161)`, async () => {
      const sent = countSent(lost);
      adding.child.kill('SIGSTOP');
      const outcome = outcomeOf(write(2));
      await eventually(() => expect(sent()).to.equal(given_up_after));
      await transporterOf(caller.broker).flush();
      caller.broker.registry.nodes.disconnected('adding', true);
      expect(await outcome).to.equal('REQUEST_REJECTED');
      adding.child.kill('SIGCONT');
      await eventually(async () => expect(await add(3)).to.deep.equal([1, 3]));
    });
  }

  it('becomes late while it waits for something in its process', async () => {
    const wait = (ms: number) => caller.broker.call('adding.wait', { ms }, PATIENT);
    expect(await Promise.all([wait(0), wait(TOO_OLD_MS)])).to.deep.equal([false, true]);
  });

  it('is executed if the node goes on in time', async () => {
    adding.child.kill('SIGSTOP');
    const answer = write(2);
    await sleep(500);
    adding.child.kill('SIGCONT');
    expect(await answer).to.deep.equal([1, 2]);
  });
});
