import { expect } from 'chai';
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

  it('are new once for each sender', () => {
    const received = rememberReceivedRequests();
    expect(received.receive('1', 'a').isNew).to.equal(true);
    expect(received.receive('1', 'a')).to.deep.equal({ isNew: false, answer: undefined });
    expect(received.receive('1', 'b').isNew).to.equal(true);
  });

  it('are answered again if they have been answered', () => {
    const received = rememberReceivedRequests();
    received.receive('1', 'a');
    received.answer('1', 'a', messageOf('answer'));
    expect(received.receive('1', 'a').answer?.topic).to.equal('answer');
    expect(received.receive('1', 'b').answer).to.equal(undefined);
  });
});
