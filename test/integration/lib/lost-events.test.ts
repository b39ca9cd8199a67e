import { expect } from 'chai';
import { STREAM } from '../../../lib/contracts/events.ts';
import { publishInOrder } from '../../../lib/events/publish.ts';
import { EventsBench } from '../../support/events.ts';
import { startNats } from '../../support/nats.ts';
import type { TestNats } from '../../support/nats.ts';
import { testIds } from '../../support/runtime.ts';

describe('events that the stream has lost', function () {
  this.timeout(60_000);
  let nats: TestNats;
  let bench: EventsBench;
  const newId = testIds();

  before(async () => {
    nats = await startNats('');
  });
  beforeEach(async () => {
    bench = await EventsBench.start('lost-events', `nats://127.0.0.1:${String(nats.port)}`);
  });
  afterEach(async () => {
    await bench.bus.manager.streams.delete(STREAM);
    await bench.stop();
  });
  after(() => nats.stop());

  const publish = async (association_id: string, event_id: string) => {
    const row = { position: 1n, event_id, association_id, type: 'member.left', event: '{"data":{}}' } as const;
    const [published] = await publishInOrder(bench.bus, [row], { check: () => undefined });
    return published?.stream_seq ?? 0;
  };

  it('are published again though the server takes them for duplicates', async () => {
    const [association, event_id] = [newId(), newId()];
    const first = await publish(association, event_id);
    expect(await publish(association, event_id)).to.equal(first);
    for (const lost of [first, first + 1]) {
      await bench.bus.manager.streams.deleteMessage(STREAM, lost);
      await publish(newId(), newId());
      const again = await publish(association, event_id);
      expect(await publish(association, event_id)).to.equal(again);
      expect(await bench.inStream(association)).to.have.length(1);
    }
  });
});
