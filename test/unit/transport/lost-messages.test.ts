import { expect } from 'chai';
import { giveBackMemory } from '../../../lib/node/give-back-memory.ts';
import { rememberReceivedRequests, rememberSentRequests } from '../../../lib/transport/lost-messages.ts';

const messageOf = (topic: string) => ({ topic, data: Buffer.from(topic) });

describe('messages that may be lost with a connection', () => {
  it('are sent again while their request is pending, after growing waits, and three times at most', () => {
    const sent = rememberSentRequests<string>();
    sent.add('a', 'a', 0);
    const seconds = Array.from({ length: 20 }, (_, second) => second);
    const again = seconds.filter((second) => sent.due(() => true, second * 1_000).length > 0);
    expect(again).to.deep.equal([1, 3, 7]);
  });

  it('are not sent again once their request is not pending', () => {
    const sent = rememberSentRequests<string>();
    sent.add('a', 'a', 0);
    sent.add('b', 'b', 0);
    expect(sent.due((id) => id === 'b', 1_000)).to.deep.equal(['b']);
  });

  it('are not sent again when the receiver may have forgotten them', () => {
    const sent = rememberSentRequests<string>();
    sent.add('a', 'a', 0);
    expect(sent.due(() => true, 8_000)).to.deep.equal([]);
  });

  it('are sent again only if NATS confirms soon what was sent before', () => {
    const sent = rememberSentRequests<string>();
    sent.add('a', 'a', 0);
    sent.add('b', 'b', 500);
    expect(sent.due(() => true, 7_999, 1_000)).to.deep.equal(['a']);
    expect(sent.due(() => true, 8_000, 7_000)).to.deep.equal(['b']);
  });

  it('are new once for each sender', () => {
    const received = rememberReceivedRequests();
    expect(received.receive('1', 'a', 0).isNew).to.equal(true);
    expect(received.receive('1', 'a', 0)).to.deep.equal({ isNew: false, answer: undefined });
    expect(received.receive('1', 'b', 0).isNew).to.equal(true);
  });

  it('are answered again if they have been answered', () => {
    const received = rememberReceivedRequests();
    received.receive('1', 'a', 0);
    received.answer('1', 'a', messageOf('answer'));
    expect(received.receive('1', 'a', 0).answer?.topic).to.equal('answer');
    expect(received.receive('1', 'b', 0).answer).to.equal(undefined);
  });

  it('are remembered for as long as a copy can come, and not for longer', () => {
    const received = rememberReceivedRequests();
    received.receive('1', 'a', 9_999);
    received.answer('1', 'a', messageOf('answer'));
    expect(received.receive('1', 'a', 19_000).answer?.topic).to.equal('answer');
    received.receive('2', 'a', 30_000);
    expect(received.receive('1', 'a', 30_000)).to.deep.equal({ isNew: true });
    // A process that was frozen may find the request and its copy in its socket.
    expect(received.receive('2', 'a', 90_000).isNew).to.equal(false);
  });

  it('do not keep the pools of Node that small answers are made in', async () => {
    const received = rememberReceivedRequests();
    const memory = async () => {
      await giveBackMemory();
      return process.memoryUsage().arrayBuffers;
    };
    const before_bytes = await memory();
    for (let id = 0; id < 2_000; id += 1) {
      received.receive(String(id), 'a', 0);
      received.answer(String(id), 'a', messageOf('a small answer'));
      // Other messages take the rest of the pool.
      Buffer.from('x'.repeat(Buffer.poolSize / 2 - 1));
      Buffer.from('x'.repeat(Buffer.poolSize / 2 - 1));
    }
    expect((await memory()) - before_bytes).to.be.below(1_000_000);
    expect(received.receive('0', 'a', 0).answer?.data.toString()).to.equal('a small answer');
  });
});
