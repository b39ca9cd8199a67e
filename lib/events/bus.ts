import { setTimeout as delay } from 'node:timers/promises';
import { connect, DiscardPolicy, nanos, NatsError, RetentionPolicy, StorageType } from 'nats';
import type { JetStreamClient, JetStreamManager, NatsConnection, StreamConfig } from 'nats';
import { STREAM } from '../contracts/events.ts';
import { natsConnectOptions } from '../config/server-urls.ts';
import { StartupError } from '../config/startup-error.ts';
import type { StreamSettings } from '../config/settings.ts';
import { isStarting, onceStarted } from './jetstream-start.ts';

/** A relay that could not mark an event as sent sends it again within this time, and the stream drops the copy. */
const DUPLICATE_WINDOW_MS = 10 * 60_000;

/** Far above a healthy answer of JetStream, and short enough that a stop does not wait long for one. */
const JETSTREAM_TIMEOUT_MS = 5_000;

/**
 * JetStream's codes for a stream that there is: with another configuration than the one asked for; or just being made, for
 * another service that starts at the same time.
 */
const STREAM_EXISTS = 10_058;
const SUBJECTS_OVERLAP = 10_065;

/** How long a stop waits for the last words to leave. While NATS is away they never do. */
const DRAIN_MAX_MS = 1_000;

/** A service's connection to JetStream, beside the broker's own connection. */
export interface Bus {
  connection: NatsConnection;
  jetstream: JetStreamClient;
  manager: JetStreamManager;
  /** How the stream is made, should it not be there. */
  stream: StreamSettings;
  close(): Promise<void>;
}

/**
 * Connects and makes sure that the stream exists, as `stream` says.
 * @throws StartupError in one line if NATS is away, has no JetStream, or refuses the stream
 */
export async function openBus(natsUrl: string, name: string, stream: StreamSettings = {}): Promise<Bus> {
  const options = natsConnectOptions(natsUrl);
  let connection: NatsConnection | undefined;
  try {
    // A stack for each event that is published, in case it fails, costs more than publishing it.
    connection = await connect({ ...options, name, noAsyncTraces: true });
    const nats = connection;
    const manager = await onceStarted(async () => {
      const answering = await nats.jetstreamManager({ timeout: JETSTREAM_TIMEOUT_MS });
      await ensureStream({ manager: answering, stream });
      return answering;
    });
    const jetstream = connection.jetstream({ timeout: JETSTREAM_TIMEOUT_MS });
    const close = closing(connection);
    return { connection, jetstream, manager, stream, close };
  } catch (error) {
    await connection?.close();
    if (error instanceof StartupError) throw error;
    throw new StartupError(
      `Cannot use NATS with JetStream at ${options.servers.join(', ')}: ${(error as Error).message}`,
    );
  }
}

function closing(connection: NatsConnection): () => Promise<void> {
  return async () => {
    // It closes by itself when the server refuses it for good.
    if (connection.isClosed()) return;
    await Promise.race([connection.drain(), delay(DRAIN_MAX_MS)]);
    await connection.close();
  };
}

/**
 * Makes the stream, or gives the one that is there the settings that were given; all else of it is left as operators have
 * it. Safe for services that start together.
 * @throws StartupError in one line if the server refuses the settings
 */
export async function ensureStream({ manager, stream }: Pick<Bus, 'manager' | 'stream'>): Promise<void> {
  const limits = limitsOf(stream);
  const config = {
    name: STREAM,
    subjects: ['ledger.v1.>'],
    storage: StorageType.File,
    retention: RetentionPolicy.Limits,
    discard: DiscardPolicy.Old,
    duplicate_window: nanos(DUPLICATE_WINDOW_MS),
    ...limits,
  };
  try {
    if (!(await addStream(manager, config))) await updateStream(manager, limits);
  } catch (error) {
    const hasLimits = Object.keys(limits).length > 0;
    if (!hasLimits || !(error instanceof NatsError) || error.api_error === undefined || isStarting(error)) throw error;
    const { replicas, maxAgeMs, maxBytes } = stream;
    const given = JSON.stringify({ replicas, maxAgeMs, maxBytes });
    throw new StartupError(
      `NATS refuses EVENTS_REPLICAS, EVENTS_MAX_AGE or EVENTS_MAX_BYTES (${given}): ${error.message}`,
    );
  }
}

type Limits = Partial<Pick<StreamConfig, 'num_replicas' | 'max_age' | 'max_bytes'>>;

function limitsOf({ replicas, maxAgeMs, maxBytes }: StreamSettings): Limits {
  return {
    ...(replicas === undefined ? {} : { num_replicas: replicas }),
    ...(maxAgeMs === undefined ? {} : { max_age: nanos(maxAgeMs) }),
    ...(maxBytes === undefined ? {} : { max_bytes: maxBytes }),
  };
}

/** False if there is one. */
async function addStream(manager: JetStreamManager, config: Partial<StreamConfig>): Promise<boolean> {
  try {
    await manager.streams.add(config);
    return true;
  } catch (error) {
    const code = error instanceof NatsError ? error.api_error?.err_code : undefined;
    if (code === STREAM_EXISTS) return false;
    if (code === SUBJECTS_OVERLAP && (await hasStream(manager))) return false;
    throw error;
  }
}

/** False where the subjects are those of a stream with another name. */
async function hasStream(manager: JetStreamManager): Promise<boolean> {
  for await (const name of manager.streams.names('ledger.v1.>')) if (name === STREAM) return true;
  return false;
}

async function updateStream(manager: JetStreamManager, limits: Limits): Promise<void> {
  const { config } = await manager.streams.info(STREAM);
  const differs = Object.entries(limits).some(([name, value]) => config[name as keyof Limits] !== value);
  if (differs) await manager.streams.update(STREAM, limits);
}
