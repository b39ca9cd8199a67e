import { NatsError } from 'nats';
import { STREAM } from '../contracts/events.ts';
import type { Bus } from './bus.ts';

/** JetStream's codes for a message and for a stream that is not there. */
const NOT_FOUND = [10_037, 10_059];

/** Where the stream has an event. */
export interface StreamPlace {
  event_id: string;
  stream_seq: number;
}

/** Whether the stream has the event there; false also if there is no stream. */
export async function isInStream({ manager }: Bus, { event_id, stream_seq }: StreamPlace): Promise<boolean> {
  try {
    const { header } = await manager.streams.getMessage(STREAM, { seq: stream_seq });
    return eventIdOf(header.get('Nats-Msg-Id')) === event_id;
  } catch (error) {
    if (error instanceof NatsError && NOT_FOUND.includes(error.api_error?.err_code ?? 0)) return false;
    throw error;
  }
}

/** An event that the server wrongly took for a duplicate has a number behind its id. */
export function eventIdOf(message_id: string): string {
  return message_id.split('.', 1)[0] ?? '';
}
