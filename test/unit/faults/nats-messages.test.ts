import { expect } from 'chai';
import { readMessages } from '../../faults/nats-messages.ts';

const SENT = 'PING\r\nPUB a.b 5\r\nhe\r\nl\r\nHPUB c reply 12 14\r\nNATS/1.0\r\n\r\nok\r\nSUB d 1\r\n';

describe('the messages that a NATS client sends', () => {
  it('are told from other lines of the protocol, with their whole content', () => {
    const { messages, used } = readMessages(Buffer.from(SENT));
    expect(messages.map(({ subject }) => subject)).to.deep.equal(['', 'a.b', 'c', '']);
    expect(Buffer.concat(messages.map(({ bytes }) => bytes)).toString()).to.equal(SENT);
    expect(used).to.equal(SENT.length);
  });

  it('are left until they are complete', () => {
    for (let end = 0; end < SENT.length; end += 1) {
      const first = readMessages(Buffer.from(SENT.slice(0, end)));
      const rest = readMessages(Buffer.from(SENT.slice(first.used)));
      const all = [...first.messages, ...rest.messages].map(({ subject }) => subject);
      expect(all, `cut at ${String(end)}`).to.deep.equal(['', 'a.b', 'c', '']);
    }
  });
});
