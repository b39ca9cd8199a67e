import { ErrorCode, NatsError } from 'nats';
import type { JsMsg, StoredMsg } from 'nats';
import { filterOf, STREAM } from '../contracts/events.ts';
import type { EventType, LedgerEvent } from '../contracts/events.ts';
import { isId } from '../schema/rules.ts';
import type { Bus } from './bus.ts';

/** What the server says where there is none. */
const NO_MESSAGE: string = ErrorCode.JetStream404NoMessages;

/** What follows a place in the stream. */
export interface Ahead<T extends EventType> {
  /** In the stream's order. */
  events: LedgerEvent<T>[];
  /** The place of the last of them. */
  through_seq: number;
}

/**
 * Reads the events of a type that follow a place in the stream: as many as there are, up to the first message that is
 * not an event, at most `events_max`. No consumer's place changes by it.
 */
export async function readAhead<T extends EventType>(
  bus: Bus,
  type: T,
  after_seq: number,
  events_max: number,
): Promise<Ahead<T>> {
  const events: LedgerEvent<T>[] = [];
  let through_seq = after_seq;
  while (events.length < events_max) {
    const message = await nextInStream(bus, type, through_seq + 1);
    if (message === undefined) break;
    const event = eventIn<T>(message);
    if (event === undefined) break;
    events.push(event);
    through_seq = message.seq;
  }
  return { events, through_seq };
}

/** The event that a message carries; undefined if it carries none. */
export function eventIn<T extends EventType>(message: Pick<JsMsg, 'json'>): LedgerEvent<T> | undefined {
  try {
    const event = message.json<LedgerEvent<T> | null>();
    return isId(event?.id) ? (event ?? undefined) : undefined;
  } catch {
    return undefined;
  }
}

async function nextInStream(bus: Bus, type: EventType, seq: number): Promise<StoredMsg | undefined> {
  // The server takes a subject beside a number, which the client's types leave out: the next of that subject from there.
  const query = { seq, next_by_subj: filterOf(type) };
  try {
    return await bus.manager.streams.getMessage(STREAM, query);
  } catch (error) {
    if (error instanceof NatsError && error.code === NO_MESSAGE) return undefined;
    throw error;
  }
}
