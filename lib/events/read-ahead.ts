import { ErrorCode, NatsError, type JsMsg, type MsgRequest, type StoredMsg } from 'nats';
import { filterOf, isOfType, STREAM, type ALL_TYPES, type EventType, type LedgerEvent } from '../contracts/events.ts';
import { isId } from '../schema/rules.ts';
import type { Bus } from './bus.ts';

/** The server's answer if the message does not exist. */
const NO_MESSAGE: string = ErrorCode.JetStream404NoMessages;

/**
 * Events no further apart than this are requested in parallel, with the messages between them; others are requested one
 * after another. A contribution writes two events of two types; a larger distance allows for events of other requests.
 */
const NEAR_MAX_PLACES = 8;

/** Parallel requests: enough for the 32 events of a transaction if every other message is of the type. */
const PARALLEL_MAX_MESSAGES = 64;

/** The events that follow a place in the stream. */
export interface Ahead<T extends EventType> {
  events: LedgerEvent<T>[];
  /** The position of the last one. */
  through_seq: number;
}

/**
 * Reads the events of a type, or of all, that follow a place in the stream, in its order: at most `events_max`, and up to the first
 * message that is not an event. It changes nothing for consumers.
 */
export async function readAhead<T extends EventType>(
  bus: Bus,
  type: T | typeof ALL_TYPES,
  after_seq: number,
  events_max: number,
): Promise<Ahead<T>> {
  const ahead: Ahead<T> = { events: [], through_seq: after_seq };
  while (ahead.events.length < events_max) {
    // Finds the next message of the subject from this place on. The client's types lack this query.
    const query = { seq: ahead.through_seq + 1, next_by_subj: filterOf(type) };
    const next = await messageAt(bus, query);
    if (next === undefined) break;
    const places = next.seq - ahead.through_seq;
    const wanted = events_max - ahead.events.length - 1;
    const following = places <= NEAR_MAX_PLACES ? await messagesAfter(bus, next.seq, wanted * places) : [];
    const near = following.filter(({ subject }) => isOfType(subject, type)).slice(0, wanted);
    if (!append(ahead, [next, ...near])) break;
  }
  return ahead;
}

/** Adds the events in the messages; returns false at the first message without one. */
function append<T extends EventType>(ahead: Ahead<T>, messages: StoredMsg[]): boolean {
  for (const message of messages) {
    const event = eventIn<T>(message);
    if (event === undefined) return false;
    ahead.events.push(event);
    ahead.through_seq = message.seq;
  }
  return true;
}

/** Returns the event in a message; undefined if it has none. */
export function eventIn<T extends EventType>(message: Pick<JsMsg, 'json'>): LedgerEvent<T> | undefined {
  try {
    const event = message.json<LedgerEvent<T> | null>();
    return isId(event?.id) ? (event ?? undefined) : undefined;
  } catch {
    return undefined;
  }
}

/** Reads the messages of any type that follow a place, up to the stream's end or a deleted message. */
async function messagesAfter(bus: Bus, seq: number, messages: number): Promise<StoredMsg[]> {
  const places = Array.from({ length: Math.min(messages, PARALLEL_MAX_MESSAGES) }, (_, index) => seq + 1 + index);
  const found = await Promise.all(places.map((place) => messageAt(bus, { seq: place })));
  const end = found.indexOf(undefined);
  return (end === -1 ? found : found.slice(0, end)).filter((message) => message !== undefined);
}

async function messageAt(bus: Bus, query: MsgRequest): Promise<StoredMsg | undefined> {
  try {
    return await bus.manager.streams.getMessage(STREAM, query);
  } catch (error) {
    if (error instanceof NatsError && error.code === NO_MESSAGE) return undefined;
    throw error;
  }
}
