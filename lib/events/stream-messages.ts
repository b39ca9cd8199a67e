import { STREAM } from '../contracts/events.ts';
import type { Bus } from './bus.ts';
import { eventIdOf } from './stream.ts';

/** Bounds the memory of reading a stream of millions of events. */
const BATCH_MESSAGES = 1_000;

/** The longest wait for a batch. */
const FETCH_MS = 5_000;

/** A message of the stream, without its content. */
export interface StreamMessage {
  event_id: string;
  subject: string;
  seq: number;
}

/** Reads the messages that the stream has now, oldest first, in batches. */
export async function* readStream(bus: Bus): AsyncGenerator<StreamMessage[]> {
  const consumer = await bus.jetstream.consumers.get(STREAM, { headers_only: true });
  for (let { num_pending: left } = await consumer.info(); left > 0;) {
    const before = left;
    const batch: StreamMessage[] = [];
    const max_messages = Math.min(left, BATCH_MESSAGES);
    for await (const { headers, subject, seq, info } of await consumer.fetch({ max_messages, expires: FETCH_MS })) {
      left = info.pending;
      batch.push({ event_id: eventIdOf(headers?.get('Nats-Msg-Id') ?? ''), subject, seq });
    }
    yield batch;
    // The stream has dropped the remaining messages since then.
    if (left === before) return;
  }
}
