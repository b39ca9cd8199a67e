import { setTimeout as sleep } from 'node:timers/promises';
import { connect, ErrorCode, NatsError } from 'nats';
import type { ConnectionOptions, JetStreamClient, JetStreamManager, NatsConnection } from 'nats';
import { natsConnectOptions } from '../config/server-urls.ts';
import { StartupError } from '../config/startup-error.ts';

/**
 * Far longer than a healthy JetStream takes to answer. A request or an answer that was lost with a connection is repeated by the
 * caller; with the wait before, events are published within 5 s after the connection is back.
 */
const JETSTREAM_TIMEOUT_MS = 2_000;

/** A cluster that has just started elects its leader within about 10 s. */
const START_MAX_MS = 20_000;
const START_RETRY_MS = 250;

/** How long close() waits for messages to be sent. While NATS is unavailable, they are never sent. */
const DRAIN_MAX_MS = 1_000;

/**
 * JetStream's error codes for: no leader yet; fewer servers than replicas, as others may be starting; a stream that cannot
 * be stored, as it is just being deleted.
 */
const STARTING = [10_008, 10_005, 10_049];

/** A connection to JetStream, separate from the broker's connection. */
export interface Bus {
  connection: NatsConnection;
  jetstream: JetStreamClient;
  manager: JetStreamManager;
  close(): Promise<void>;
}

/**
 * Connects to JetStream.
 * @param prepare called with the connection, and repeated while JetStream is starting
 * @throws StartupError with a message of one line if NATS is unavailable or has no JetStream
 */
export async function connectBus(
  natsUrl: string,
  name: string,
  prepare: (manager: JetStreamManager) => Promise<void> = () => Promise.resolve(),
): Promise<Bus> {
  const options = natsConnectOptions(natsUrl);
  let connection: NatsConnection | undefined;
  try {
    // Capturing a stack trace for each publish, in case it fails, costs more than the publish.
    const nats = (connection = await connectPatiently({ ...options, name, noAsyncTraces: true }));
    const manager = await retryWhileStarting(async () => {
      const answering = await nats.jetstreamManager({ timeout: JETSTREAM_TIMEOUT_MS });
      await prepare(answering);
      return answering;
    });
    const jetstream = nats.jetstream({ timeout: JETSTREAM_TIMEOUT_MS });
    return { connection: nats, jetstream, manager, close: () => closeConnection(nats) };
  } catch (error) {
    await connection?.close();
    if (error instanceof StartupError) throw error;
    throw new StartupError(
      `Cannot use NATS with JetStream at ${options.servers.join(', ')}: ${(error as Error).message}`,
    );
  }
}

/**
 * Connects to NATS; tries again while the server or this process is too busy, as when many processes start. The client reports
 * a timeout also if the server has closed the connection because it got no credentials in time.
 */
export function connectPatiently(options: ConnectionOptions): Promise<NatsConnection> {
  return retryWhileStarting(() => connect(options));
}

async function closeConnection(connection: NatsConnection): Promise<void> {
  // The client closes a connection that the server refuses permanently.
  if (connection.isClosed()) return;
  await Promise.race([connection.drain(), sleep(DRAIN_MAX_MS)]);
  await connection.close();
}

/**
 * Whether NATS or JetStream exists but is not ready, as in a cluster without a leader: it does not answer, or reports this. Or the
 * stream does not exist yet, and another login creates it.
 */
export function isStarting(error: unknown): boolean {
  const isUnanswered = error instanceof NatsError && error.code === (ErrorCode.Timeout as string);
  return isUnanswered || isRefused(error) || hasCode(error, STARTING);
}

/** Whether the permissions of the login do not include a request. */
export function isRefused(error: unknown): boolean {
  return error instanceof NatsError && error.code === (ErrorCode.PermissionsViolation as string);
}

/** Repeats `request` for up to 20 s while the server is starting. The request must be safe to repeat. */
export async function retryWhileStarting<T>(request: () => Promise<T>): Promise<T> {
  for (const end_ms = performance.now() + START_MAX_MS; ; await sleep(START_RETRY_MS)) {
    try {
      return await request();
    } catch (error) {
      if (!isStarting(error) || performance.now() > end_ms) throw error;
    }
  }
}

/** Whether JetStream has answered with one of these error codes. */
export function hasCode(error: unknown, codes: readonly number[]): boolean {
  return error instanceof NatsError && codes.includes(error.api_error?.err_code ?? 0);
}
