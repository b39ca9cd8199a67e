import { randomUUID } from 'node:crypto';
import { loadSettings } from '../../lib/config/settings.ts';
import { startInfrastructure } from '../../lib/embedded/infrastructure.ts';
import { openBus } from '../../lib/events/bus.ts';
import type { Bus } from '../../lib/events/bus.ts';
import { publishInOrder } from '../../lib/events/publish.ts';
import type { OutboxRow } from '../../lib/events/publish.ts';
import { inTurn } from '../apparatus/in-turn.ts';
import type { Contender } from '../apparatus/in-turn.ts';
import { withDataDir } from '../apparatus/starting.ts';
import type { Row } from '../report/row.ts';
import type { Section } from '../section.ts';

/** What a relay takes from its outbox at a time. */
const BATCH_EVENTS = 500;
const MANY = 50;

/** With its envelope about as long as what a contribution's transfer tells. */
const DATA_BYTES = 480;

const MS_PER_S = 1_000;

/**
 * How fast a relay publishes: an association's events go one after the other, so that one busy association is bounded by
 * the round trip to JetStream, however many services and servers there are. It has no goals.
 */
export const relay: Section = {
  id: 'relay',
  title: 'publishing of events to JetStream, without the outbox that they come from',
  isSimulation: true,
  measure: (bench) =>
    withDataDir(async (dataDir) => {
      await using stack = new AsyncDisposableStack();
      const infrastructure = await startInfrastructure(loadSettings({ DATA_DIR: dataDir }), bench.log);
      const { natsUrl } = stack.adopt(infrastructure, (servers) => servers.stop());
      const bus = stack.adopt(await openBus(natsUrl, 'bench'), (each) => each.close());
      const { spread, ratio } = await inTurn(bench, [publisher(bus, 1), publisher(bus, MANY)]);
      const row: Row = {
        id: 'relay.one-association',
        what: 'events of one association',
        unit: '/s',
        ours: spread(nameOf(1)),
        beside: { what: nameOf(MANY), figure: spread(nameOf(MANY)) },
        ratio: ratio(nameOf(1), nameOf(MANY)),
      };
      return [row];
    }),
};

function nameOf(associations: number): string {
  return associations === 1 ? 'of one association' : `of ${String(associations)} associations`;
}

function publisher(bus: Bus, associations: number): Contender {
  const ids = Array.from({ length: associations }, () => randomUUID());
  return {
    name: nameOf(associations),
    async run(duration_ms) {
      const began_ms = performance.now();
      let published = 0;
      while (performance.now() - began_ms < duration_ms) {
        await publishInOrder(bus, batchOf(ids), { check: () => undefined });
        published += BATCH_EVENTS;
      }
      return { figure: (published * MS_PER_S) / (performance.now() - began_ms) };
    },
  };
}

function batchOf(association_ids: readonly string[]): OutboxRow[] {
  return Array.from({ length: BATCH_EVENTS }, (_, number) => {
    const event_id = randomUUID();
    const association_id = association_ids[number % association_ids.length] ?? null;
    const event = JSON.stringify({
      specversion: '1.0',
      id: event_id,
      subject: association_id,
      data: 'x'.repeat(DATA_BYTES),
    });
    return { position: BigInt(number), event_id, association_id, type: 'transfer.posted', event };
  });
}
