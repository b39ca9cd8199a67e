/** The URL with this login; each part is escaped. */
export function withLogin(url: string, { user, password }: { user?: string; password: string }): string {
  const changed = new URL(url);
  if (user !== undefined) changed.username = encodeURIComponent(user);
  changed.password = encodeURIComponent(password);
  return changed.href;
}

// A server that hangs keeps its connections open: one that answers no ping for 4.5 s is left for the next, which has 3 s to
// answer. All is back within 10 s, even where the first of the others hangs too. The client's own default is 6 minutes.
const PING_INTERVAL_MS = 1_500;
const PINGS_UNANSWERED_MAX = 2;
const CONNECT_TIMEOUT_MS = 3_000;

/** A server that restarts is back within seconds: try often, for ever. */
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
