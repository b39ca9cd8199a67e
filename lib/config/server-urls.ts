import { StartupError } from './startup-error.ts';

const POSTGRES_PROTOCOLS = ['postgres:', 'postgresql:'];
const NATS_PROTOCOLS = ['nats:', 'tls:'];

/**
 * Checks the URL of a Postgres server or database, and puts `password` into it unless it has one. `variable` names it in
 * errors, which never repeat the value: it holds a password.
 * @throws {StartupError}
 */
export function databaseUrl(
  variable: string,
  value: string | undefined,
  password: string | undefined,
): string | undefined {
  if (value === undefined) return undefined;
  const url = parse(value);
  if (url === undefined || !POSTGRES_PROTOCOLS.includes(url.protocol)) {
    throw new StartupError(
      `${variable} must be postgres://user:password@host:port/database (percent-encode special characters).`,
    );
  }
  if (password === undefined || url.password !== '') return value;
  url.password = encodeURIComponent(password);
  return url.href;
}

/** A login at NATS that is kept apart from its URL, so that no character needs to be escaped. */
export interface NatsLogin {
  user: string;
  password: string;
}

/**
 * Checks the URL of a NATS server, or several with commas between; gives them back with `nats://` where it was
 * missing, and with `login` unless one of them holds another.
 * @throws {StartupError}
 */
export function natsServerUrls(
  variable: string,
  value: string | undefined,
  login: NatsLogin | undefined,
): string | undefined {
  if (value === undefined) return undefined;
  const urls = value.split(',').map((part) => (part.includes('://') ? part.trim() : `nats://${part.trim()}`));
  const hasLogin = urls.some((text) => text.includes('@'));
  const complete = urls.map((text) => {
    const url = parse(text);
    if (url === undefined || url.host === '' || !NATS_PROTOCOLS.includes(url.protocol)) {
      throw new StartupError(`${variable} must be nats://host:port or tls://host:port, several with commas between.`);
    }
    if (login === undefined || hasLogin) return text;
    url.username = encodeURIComponent(login.user);
    url.password = encodeURIComponent(login.password);
    return url.href;
  });
  return complete.join(',');
}

// A server that hangs keeps its connections open: one that answers no ping for 4.5 s is left for the next, which has 3 s to
// answer. So everything is back within 10 s, also where the first of the others hangs too. The client's own: 6 minutes.
const PING_INTERVAL_MS = 1_500;
const PINGS_UNANSWERED_MAX = 2;
const CONNECT_TIMEOUT_MS = 3_000;

/** A server that restarts is back within seconds, and comes back to the same clients: try often, for ever. */
const RECONNECT_WAIT_MS = 500;

/** What the `nats` client and Moleculer's transporter connect with: neither reads credentials or TLS from a URL. */
export interface NatsConnectOptions {
  servers: string[];
  user?: string;
  pass?: string;
  token?: string;
  tls?: Record<string, never>;
  pingInterval: number;
  maxPingOut: number;
  /** To connect and to be greeted. */
  timeout: number;
  maxReconnectAttempts: number;
  reconnectTimeWait: number;
}

/** Reads servers and credentials out of NATS_URL's form; `nats://token@host` holds a token. */
export function natsConnectOptions(natsUrl: string): NatsConnectOptions {
  const urls = natsUrl.split(',').map((text) => new URL(text));
  const options: NatsConnectOptions = {
    servers: urls.map((url) => url.host),
    pingInterval: PING_INTERVAL_MS,
    maxPingOut: PINGS_UNANSWERED_MAX,
    timeout: CONNECT_TIMEOUT_MS,
    maxReconnectAttempts: -1,
    reconnectTimeWait: RECONNECT_WAIT_MS,
  };
  const login = urls.find((url) => url.username !== '');
  if (login !== undefined) {
    const user = decodeURIComponent(login.username);
    if (login.password === '') options.token = user;
    else Object.assign(options, { user, pass: decodeURIComponent(login.password) });
  }
  if (urls.some((url) => url.protocol === 'tls:')) options.tls = {};
  return options;
}

/** `host:port` of a URL, for messages: never its credentials. */
export function hostAndPort(url: string, defaultPort: number): string {
  return url
    .split(',')
    .map((text) => new URL(text))
    .map(({ hostname, port }) => `${hostname}:${port === '' ? String(defaultPort) : port}`)
    .join(', ');
}

function parse(text: string): URL | undefined {
  return URL.canParse(text) ? new URL(text) : undefined;
}
