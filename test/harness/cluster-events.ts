import { expect } from 'chai';
import { AckPolicy } from 'nats';
import { TABLE_SERVICES, type TableService } from '../../lib/config/service-names.ts';
import { STREAM, type LedgerEvent } from '../../lib/contracts/events.ts';
import { openBus } from '../../lib/events/stream.ts';
import { inDatabase, type Cluster } from './cluster.ts';

const NO_SUBJECT = ' no association';

/**
 * Checks that the stream has each event of the archive and of the outboxes once, those of one association and service in order.
 */
export async function expectAllEventsOnce(
  cluster: Pick<Cluster, 'natsUrl' | 'adminUrl'>,
  archived: readonly LedgerEvent[] = [],
): Promise<void> {
  const streamed = bySourceAndSubject(await eventsInStream(cluster.natsUrl));
  for (const service of TABLE_SERVICES) {
    const own = archived.filter(({ source }) => source.endsWith(`/${service}`));
    const stored = bySourceAndSubject([...own, ...(await eventsInOutbox(cluster, service))]);
    for (const [name, ids] of stored) {
      // Events without an association have no order.
      if (name.endsWith(NO_SUBJECT)) expect(streamed.get(name), name).to.have.members(ids);
      else expect(streamed.get(name), name).to.deep.equal(ids);
    }
  }
}

/** Returns the ids of events by service and association. */
function bySourceAndSubject(events: readonly LedgerEvent[]): Map<string, string[]> {
  const ids = new Map<string, string[]>();
  for (const { source, subject, id } of events) {
    const name = source + (subject === undefined ? NO_SUBJECT : ` ${subject}`);
    ids.set(name, [...(ids.get(name) ?? []), id]);
  }
  return ids;
}

async function eventsInOutbox(cluster: Pick<Cluster, 'adminUrl'>, service: TableService): Promise<LedgerEvent[]> {
  return inDatabase(cluster, service, async (client) => {
    const { rows } = await client.query<{ event: LedgerEvent }>('SELECT event FROM outbox ORDER BY position');
    return rows.map(({ event }) => event);
  });
}

/** Makes the published events of a service so old that they can be archived. */
export async function ageEvents(cluster: Pick<Cluster, 'adminUrl'>, service: TableService): Promise<void> {
  await inDatabase(cluster, service, (client) =>
    client.query(`UPDATE outbox SET published_at = now() - interval '31 days' WHERE published_at IS NOT NULL`),
  );
}

/** Returns all events of the stream, oldest first. */
export async function eventsInStream(natsUrl: string): Promise<LedgerEvent[]> {
  const bus = await openBus(natsUrl, 'test');
  try {
    const events: LedgerEvent[] = [];
    const { name, num_pending } = await bus.manager.consumers.add(STREAM, {
      ack_policy: AckPolicy.None,
      mem_storage: true,
    });
    const consumer = await bus.jetstream.consumers.get(STREAM, name);
    for (let left = num_pending; left > 0; { num_pending: left } = await consumer.info()) {
      const messages = await consumer.fetch({ max_messages: Math.min(left, 500), expires: 2_000 });
      for await (const message of messages) events.push(message.json());
    }
    return events;
  } finally {
    await bus.close();
  }
}
