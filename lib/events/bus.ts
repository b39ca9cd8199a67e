import { setTimeout as delay } from 'node:timers/promises';
import { connect, DiscardPolicy, nanos, NatsError, RetentionPolicy, StorageType } from 'nats';
import type { JetStreamClient, JetStreamManager, NatsConnection } from 'nats';
import { STREAM } from '../contracts/events.ts';
import { natsConnectOptions } from '../config/server-urls.ts';
import { StartupError } from '../config/startup-error.ts';

/** A relay that could not mark an event as sent sends it again within this time, and the stream drops the copy. */
const DUPLICATE_WINDOW_MS = 10 * 60_000;

/** Far above a healthy answer of JetStream, below the patience of whoever waits for a shutdown. */
const JETSTREAM_TIMEOUT_MS = 5_000;

/** JetStream's code for a stream that there is, with another configuration than the one asked for. */
const STREAM_EXISTS = 10_058;

/** How long a stop waits for the last words to leave. While NATS is away they never do. */
const DRAIN_MAX_MS = 1_000;

/** A service's connection to JetStream, beside the broker's own connection. */
export interface Bus {
  connection: NatsConnection;
  jetstream: JetStreamClient;
  manager: JetStreamManager;
  close(): Promise<void>;
}

/**
 * Connects and makes sure that the stream exists.
 * @throws StartupError in one line if NATS is away or has no JetStream
 */
export async function openBus(natsUrl: string, name: string): Promise<Bus> {
  const options = natsConnectOptions(natsUrl);
  let connection: NatsConnection | undefined;
  try {
    // A stack for each event that is published, in case it fails, costs more than publishing it.
    connection = await connect({ ...options, name, noAsyncTraces: true });
    const manager = await connection.jetstreamManager({ timeout: JETSTREAM_TIMEOUT_MS });
    await ensureStream(manager);
    const jetstream = connection.jetstream({ timeout: JETSTREAM_TIMEOUT_MS });
    const close = closing(connection);
    return { connection, jetstream, manager, close };
  } catch (error) {
    await connection?.close();
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

/** Makes the stream, or leaves the one that is there as operators have it; safe for services that start together. */
export async function ensureStream(manager: JetStreamManager): Promise<void> {
  const config = {
    name: STREAM,
    subjects: ['ledger.v1.>'],
    storage: StorageType.File,
    retention: RetentionPolicy.Limits,
    discard: DiscardPolicy.Old,
    duplicate_window: nanos(DUPLICATE_WINDOW_MS),
  };
  try {
    await manager.streams.add(config);
  } catch (error) {
    if (!(error instanceof NatsError && error.api_error?.err_code === STREAM_EXISTS)) throw error;
  }
}
