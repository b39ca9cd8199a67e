import { expect } from 'chai';
import type { ServiceBroker } from 'moleculer';
import { outcomeOf } from '../../harness/refusal.ts';
import { BatchingNats } from '../../../lib/transport/batching-nats.ts';

/** A client that records the topics that it publishes to and refuses messages that are too large. */
class Client {
  readonly published: string[] = [];
  closed = false;

  publish(topic: string, data: Buffer): void {
    if (data.length > 3) throw new Error('MAX_PAYLOAD_EXCEEDED');
    this.published.push(topic);
  }

  flush(): Promise<void> {
    return Promise.resolve();
  }

  close(): Promise<void> {
    this.closed = true;
    return Promise.resolve();
  }
}

describe('the transporter', () => {
  let client: Client;
  let transporter: BatchingNats;

  beforeEach(() => {
    client = new Client();
    transporter = new BatchingNats({});
    transporter.client = client;
    transporter.broker = { Promise } as ServiceBroker;
  });

  const send = (topic: string, text = 'ok') => transporter.send(topic, Buffer.from(text));

  it('sends the messages of one turn of the event loop together, in their order', async () => {
    const sent = [send('a'), send('b'), send('c')];
    expect(client.published).to.deep.equal([]);
    await Promise.all(sent);
    expect(client.published).to.deep.equal(['a', 'b', 'c']);
  });

  it('rejects only the message that NATS does not accept', async () => {
    const outcomes = await Promise.all([send('a'), send('b', 'too large'), send('c')].map(outcomeOf));
    expect(outcomes).to.deep.equal(['done', 'MAX_PAYLOAD_EXCEEDED', 'done']);
    expect(client.published).to.deep.equal(['a', 'c']);
  });

  it('sends waiting messages when it disconnects', async () => {
    const sent = send('a');
    await transporter.disconnect();
    await sent;
    expect([client.published, client.closed]).to.deep.equal([['a'], true]);
  });
});
