import { connect as connectNats, type NatsConnection } from 'nats';
import { Client } from 'pg';
import { hostAndPort, natsConnectOptions } from '../config/server-urls.ts';
import { StartupError } from '../config/startup-error.ts';
import { connectPatiently, isStarting, retryWhileStarting } from '../events/bus.ts';
import { unreachable } from './unreachable.ts';

// A server on the other side of the world answers within one second, a busy machine within a few.
const DATABASE_TIMEOUT_MS = 10_000;
/** An attempt; those that get no answer are repeated for 20 s. */
const NATS_TIMEOUT_MS = 3_000;
const POSTGRES_PORT = 5_432;
const NATS_PORT = 4_222;

/**
 * Checks that the database at `url` can be used; `variable` is the setting from which the URL comes.
 * @throws StartupError with host, port and reason, never with credentials
 */
export async function probeDatabase(variable: string, url: string): Promise<void> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: DATABASE_TIMEOUT_MS });
  client.on('error', () => undefined);
  try {
    await client.connect();
  } catch (error) {
    const usesTls = new URL(url).searchParams.get('sslmode') === 'verify-full';
    throw unreachable({ name: 'Postgres', at: hostAndPort(url, POSTGRES_PORT), variable }, error, usesTls);
  } finally {
    await client.end().catch(() => undefined);
  }
}

/**
 * Checks that the NATS server answers and has JetStream, which may still be starting.
 * @throws StartupError with host, port and reason, never with credentials
 */
export async function probeNats(variable: string, natsUrl: string): Promise<void> {
  const at = hostAndPort(natsUrl, NATS_PORT);
  const options = natsConnectOptions(natsUrl);
  let connection: NatsConnection;
  try {
    connection = await connectPatiently({ ...options, timeout: NATS_TIMEOUT_MS, reconnect: false });
  } catch (error) {
    throw unreachable({ name: 'NATS', at, variable }, error, options.tls !== undefined);
  }
  try {
    await retryWhileStarting(() => connection.jetstreamManager({ timeout: NATS_TIMEOUT_MS }));
  } catch (error) {
    if (isStarting(error))
      throw new StartupError(`JetStream at ${at} does not answer: see its log, or change ${variable}.`);
    throw new StartupError(
      `NATS at ${at} has no JetStream: start it with JetStream (nats-server -js), or change ${variable}.`,
    );
  } finally {
    await connection.close();
  }
}

/**
 * Checks that this process may receive the requests for its node, which would otherwise never arrive.
 * @throws StartupError if its login is that of another service
 */
export async function refuseForeignLogin(natsUrl: string, nodeId: string): Promise<void> {
  const connection = await connectPatiently(natsConnectOptions(natsUrl));
  let isRefused = false;
  connection.subscribe(`MOL.REQ.${nodeId}`, { callback: (error) => (isRefused ||= error !== null) });
  await connection.flush();
  await connection.close();
  if (!isRefused) return;
  const [login = ''] = nodeId.split('.');
  throw new StartupError(
    `NATS does not let this login receive the requests of ${login}: set NATS_USER and NATS_PASSWORD to those of ${login}.`,
  );
}

/**
 * Checks that each server of `natsUrl` refuses a client without credentials, as every client can call every action. It
 * tries to connect: with `no_auth_user`, a server accepts such clients although it announces that a login is needed. A
 * server that does not answer is ignored, as one of several may be unavailable.
 * @throws StartupError that names the server
 */
export async function refuseOpenNats(natsUrl: string): Promise<void> {
  const { servers, tls } = natsConnectOptions(natsUrl);
  const options = { ...(tls === undefined ? {} : { tls }), timeout: NATS_TIMEOUT_MS, reconnect: false };
  await Promise.all(
    servers.map(async (server) => {
      const client = await connectNats({ ...options, servers: [server] }).catch(() => undefined);
      if (client === undefined) return;
      await client.close();
      throw new StartupError(
        `NATS at ${hostAndPort(`nats://${server}`, NATS_PORT)} accepts clients without credentials, which could move money: ` +
          'give it logins as in deploy/nats, and set NATS_USER and NATS_PASSWORD (or NATS_PASSWORD_FILE).',
      );
    }),
  );
}
