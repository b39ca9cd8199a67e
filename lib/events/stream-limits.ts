import { millis } from 'nats';
import { STREAM } from '../contracts/events.ts';
import type { Bus } from './bus.ts';

/** Parallel requests to JetStream. */
const REQUESTS_MAX = 64;

/** The clocks of services and NATS differ by less. Events this close to the stream's maximum age are not searched. */
const CLOCK_SKEW_MAX_MS = 60_000;

/** A full stream holds a little less than its limit, since it drops whole messages. */
const FULL_FRACTION = 0.9;

/** Where and when the stream got an event; without a sequence number if that was not recorded. */
interface Place {
  stream_seq: bigint | null;
  published_at: Date;
}

/** What the stream has dropped by its limits. */
export interface Limits {
  isFull: boolean;
  first_seq: number;
  /** Whether the event's place is before the stream's first message. */
  precedes(row: Place): boolean;
  /** Whether the stream has dropped the event by its limits, or would drop it immediately. */
  isDropped(row: Place): boolean;
  /** The stream's maximum size. */
  bytes: number;
}

/** Reads the stream's limits and its state. */
export async function readLimits(bus: Bus, now: Date): Promise<Limits> {
  const { config, state } = await bus.manager.streams.info(STREAM);
  const first_ms = state.messages === 0 ? Infinity : Date.parse(state.first_ts);
  const oldest_ms = config.max_age === 0 ? 0 : now.getTime() - millis(config.max_age) + CLOCK_SKEW_MAX_MS;
  const isFull =
    (config.max_bytes > 0 && state.bytes >= FULL_FRACTION * config.max_bytes) ||
    (config.max_msgs > 0 && state.messages >= FULL_FRACTION * config.max_msgs);
  const precedes = ({ stream_seq, published_at }: Place): boolean =>
    stream_seq === null ? published_at.getTime() < first_ms : stream_seq < state.first_seq;
  return {
    isFull,
    first_seq: state.first_seq,
    precedes,
    isDropped: (row) => row.published_at.getTime() < oldest_ms || (isFull && precedes(row)),
    bytes: config.max_bytes > 0 ? config.max_bytes : Infinity,
  };
}

/** Sends requests to JetStream, a limited number at a time. */
export async function mapInParallel<T, R>(items: readonly T[], request: (item: T) => Promise<R>): Promise<R[]> {
  const answers: R[] = [];
  for (let start = 0; start < items.length; start += REQUESTS_MAX) {
    answers.push(...(await Promise.all(items.slice(start, start + REQUESTS_MAX).map(request))));
  }
  return answers;
}
