import { ErrorCode, NatsError } from 'nats';
import type { JsMsg, MsgRequest, StoredMsg } from 'nats';
import { filterOf, isOfType, STREAM } from '../contracts/events.ts';
import type { EventType, LedgerEvent } from '../contracts/events.ts';
import { isId } from '../schema/rules.ts';
import type { Bus } from './bus.ts';

/** What the server says where there is none. */
const NO_MESSAGE: string = ErrorCode.JetStream404NoMessages;

/**
 * Events that are no further apart than this are read with what lies between them, at once: one after the other, each
 * would wait for the one before. A contribution writes two events, of two types; the rest is room for others.
 */
const NEAR_MAX_PLACES = 8;

/** Asked for at once: where every other message is of the type, the 32 events that are taken together. */
const AT_ONCE_MAX_MESSAGES = 64;

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
  const ahead: Ahead<T> = { events: [], through_seq: after_seq };
  while (ahead.events.length < events_max) {
    // The server takes a subject beside a number, which the client's types leave out: the next of that subject from there.
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

/** Adds the events that messages carry; false at the first that carries none. */
function append<T extends EventType>(ahead: Ahead<T>, messages: StoredMsg[]): boolean {
  for (const message of messages) {
    const event = eventIn<T>(message);
    if (event === undefined) return false;
    ahead.events.push(event);
    ahead.through_seq = message.seq;
  }
  return true;
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

/** The messages that follow a place, of whatever type, up to the first that is not there: the end, or one deleted. */
async function messagesAfter(bus: Bus, seq: number, messages: number): Promise<StoredMsg[]> {
  const places = Array.from({ length: Math.min(messages, AT_ONCE_MAX_MESSAGES) }, (_, index) => seq + 1 + index);
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
