import { DiscardPolicy, ErrorCode, nanos, NatsError, RetentionPolicy, StorageType } from 'nats';
import type { JetStreamManager, StreamConfig } from 'nats';
import { StartupError } from '../config/startup-error.ts';
import { KEEPER, STREAM } from '../contracts/events.ts';
import type { RecurringJob } from '../service/recurring-job.ts';
import { connectBus, hasCode, isRefused, isStarting, type Bus } from './bus.ts';

/** If a relay could not mark an event as published, it publishes it again within this time; the stream drops the copy. */
const DUPLICATE_WINDOW_MS = 10 * 60_000;

const SUBJECTS = 'ledger.v1.>';

// JetStream's error codes.
/** A stream of this name exists, with another configuration. */
const STREAM_EXISTS = 10_058;
/** A stream with these subjects exists, or another service that starts at the same time is creating it. */
const SUBJECTS_OVERLAP = 10_065;
export const NO_STREAM = 10_059;
/** No message, or no stream. */
const NOT_FOUND = [10_037, NO_STREAM];

/** How the event stream is kept. A field that was not set is absent, and an existing stream keeps its value. */
export interface StreamSettings {
  replicas?: number;
  maxAgeMs?: number;
  maxBytes?: number;
}

/** The connection of a service that publishes events. */
export interface StreamBus extends Bus {
  /** The stream's settings, in case it must be created. */
  stream: StreamSettings;
}

/**
 * Connects, and makes sure that the stream exists with the settings in `stream`.
 * @throws StartupError with a message of one line if NATS is unavailable, has no JetStream, or refuses the stream
 */
export async function openBus(natsUrl: string, name: string, stream: StreamSettings = {}): Promise<StreamBus> {
  const bus = await connectBus(natsUrl, name, (manager) => ensureStream({ manager, stream }));
  return { ...bus, stream };
}

/**
 * Creates the stream if it does not exist, or updates it to the given settings; operators may change all other settings.
 * Services that start together may call it concurrently.
 * @throws StartupError with a message of one line if the server refuses the settings
 * @throws NatsError that isStarting() recognizes if the stream does not exist, and only another login may create it
 */
export async function ensureStream({ manager, stream }: Pick<StreamBus, 'manager' | 'stream'>): Promise<void> {
  const limits = limitsOf(stream);
  const config = {
    name: STREAM,
    subjects: [SUBJECTS],
    storage: StorageType.File,
    retention: RetentionPolicy.Limits,
    discard: DiscardPolicy.Old,
    duplicate_window: nanos(DUPLICATE_WINDOW_MS),
    ...limits,
  };
  try {
    // Most logins may only read the stream.
    if (await hasStream(manager, limits)) return;
    // A server without a cluster checks the replicas only if it is asked to create the stream.
    const exists = !(await addStream(manager, config));
    if (exists && !(await hasStream(manager, limits))) await manager.streams.update(STREAM, limits);
  } catch (error) {
    const isRefusal = error instanceof NatsError && error.api_error !== undefined && !isStarting(error);
    if (!isRefusal || Object.keys(limits).length === 0) throw error;
    const { replicas, maxAgeMs, maxBytes } = stream;
    const given = JSON.stringify({ replicas, maxAgeMs, maxBytes });
    throw new StartupError(
      `NATS refuses EVENTS_REPLICAS, EVENTS_MAX_AGE or EVENTS_MAX_BYTES (${given}): ${error.message}`,
    );
  }
}

/** How often the keeper looks whether the stream exists: the relays of other services wait for it. */
const KEEP_EVERY_MS = 1_000;

/** The job of the service that creates the stream, also if it is lost. */
export function keepStream(bus: Pick<StreamBus, 'manager' | 'stream'>): RecurringJob {
  return { name: 'event stream', every_ms: KEEP_EVERY_MS, run: () => ensureStream(bus) };
}

type Limits = Partial<Pick<StreamConfig, 'num_replicas' | 'max_age' | 'max_bytes'>>;

function limitsOf({ replicas, maxAgeMs, maxBytes }: StreamSettings): Limits {
  return {
    ...(replicas === undefined ? {} : { num_replicas: replicas }),
    ...(maxAgeMs === undefined ? {} : { max_age: nanos(maxAgeMs) }),
    ...(maxBytes === undefined ? {} : { max_bytes: maxBytes }),
  };
}

/** Returns false if the stream exists. */
async function addStream(manager: JetStreamManager, config: Partial<StreamConfig>): Promise<boolean> {
  try {
    await manager.streams.add(config);
    return true;
  } catch (error) {
    if (hasCode(error, [STREAM_EXISTS])) return false;
    // If another service has created it meanwhile, no stream of another name has its subjects.
    if (hasCode(error, [SUBJECTS_OVERLAP]) && (await hasStream(manager))) return false;
    if (!isRefused(error)) throw error;
    throw new NatsError(`the stream ${STREAM} does not exist: ${KEEPER} creates it`, ErrorCode.PermissionsViolation);
  }
}

/** Whether the stream exists and has these limits. */
async function hasStream(manager: JetStreamManager, limits: Limits = {}): Promise<boolean> {
  try {
    const { config } = await manager.streams.info(STREAM);
    return Object.entries(limits).every(([name, value]) => config[name as keyof Limits] === value);
  } catch (error) {
    if (hasCode(error, [NO_STREAM])) return false;
    throw error;
  }
}

/** An event's place in the stream. */
export interface StreamPlace {
  event_id: string;
  stream_seq: number;
}

/** Whether the stream has the event at this place; false if there is no stream. */
export async function isInStream(
  { manager }: Pick<Bus, 'manager'>,
  { event_id, stream_seq }: StreamPlace,
): Promise<boolean> {
  try {
    const { header } = await manager.streams.getMessage(STREAM, { seq: stream_seq });
    return eventIdOf(header.get('Nats-Msg-Id')) === event_id;
  } catch (error) {
    if (hasCode(error, NOT_FOUND)) return false;
    throw error;
  }
}

/** Returns the event's id in a message id, which has a suffix if the server wrongly took the event for a duplicate. */
export function eventIdOf(message_id: string): string {
  return message_id.split('.', 1)[0] ?? '';
}
