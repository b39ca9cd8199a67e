/** Returns the URL with this login, escaped. */
export function withLogin(url: string, { user, password }: { user?: string; password: string }): string {
  const changed = new URL(url);
  if (user !== undefined) changed.username = encodeURIComponent(user);
  changed.password = encodeURIComponent(password);
  return changed.href;
}

/** Returns the URL with another database. */
export function withDatabase(url: string, database: string): string {
  const changed = new URL(url);
  changed.pathname = `/${encodeURIComponent(database)}`;
  return changed.href;
}

/** Returns the URL with `password`, unless it already has a password. */
export function withPassword<U extends string | undefined>(url: U, password: string | undefined): U | string {
  if (url === undefined || password === undefined || new URL(url).password !== '') return url;
  return withLogin(url, { password });
}

/** Returns NATS_URL with a login, unless one of its servers has one or there is no password. */
export function withNatsLogin<U extends string | undefined>(
  urls: U,
  user: string,
  password: string | undefined,
): U | string {
  if (urls === undefined || password === undefined || urls.includes('@')) return urls;
  return urls
    .split(',')
    .map((url) => withLogin(url, { user, password }))
    .join(',');
}

/** The files for TLS with NATS. */
export interface NatsTlsFiles {
  /** The certificates of the CAs that are trusted instead of the public ones. */
  ca?: string | undefined;
  /** The certificate and key with which this client proves who it is. */
  cert?: string | undefined;
  key?: string | undefined;
}

/** Returns NATS_URL with these files as search parameters, which natsConnectOptions() reads. */
export function withNatsTls<U extends string | undefined>(urls: U, files: NatsTlsFiles): U | string {
  const given = Object.entries(files).filter((each): each is [string, string] => each[1] !== undefined);
  if (urls === undefined || given.length === 0) return urls;
  const search = new URLSearchParams(given).toString();
  return urls
    .split(',')
    .map((url) => Object.assign(new URL(url), { search }).href)
    .join(',');
}

// A server that hangs keeps its connections open. After 4.5 s without an answer to a ping, the client tries the next server,
// which has 3 s to answer. It is connected again within 10 s, even if that server hangs too. The client's own default would
// be 6 minutes.
const PING_INTERVAL_MS = 1_500;
const PINGS_UNANSWERED_MAX = 2;
const CONNECT_TIMEOUT_MS = 3_000;

/** A server that restarts is back within seconds, so the client tries often, without an end. */
const RECONNECT_WAIT_MS = 500;

/**
 * Returns the connection options for the `nats` client and Moleculer's transporter: neither reads credentials or TLS from a
 * URL. `nats://token@host` holds a token.
 */
export function natsConnectOptions(natsUrl: string) {
  const urls = natsUrl.split(',').map((text) => new URL(text));
  const login = urls.find((url) => url.username !== '');
  return {
    servers: urls.map((url) => url.host),
    ...(login === undefined ? {} : credentialsOf(login)),
    ...inboxOf(login),
    ...tlsOf(urls),
    pingInterval: PING_INTERVAL_MS,
    maxPingOut: PINGS_UNANSWERED_MAX,
    // For the connection and the server's first message.
    timeout: CONNECT_TIMEOUT_MS,
    maxReconnectAttempts: -1,
    reconnectTimeWait: RECONNECT_WAIT_MS,
  };
}

/**
 * Without a password on the wire, the client leaves a server that has no TLS, or whose certificate is not of a trusted CA or not
 * for the server's name. The files are read again at each connection.
 */
function tlsOf(urls: readonly URL[]) {
  const url = urls.find(({ protocol }) => protocol === 'tls:');
  if (url === undefined) return {};
  const file = (name: keyof NatsTlsFiles) => url.searchParams.get(name) ?? undefined;
  const files = { caFile: file('ca'), certFile: file('cert'), keyFile: file('key') };
  const tls = Object.fromEntries(Object.entries(files).filter(([, path]) => path !== undefined));
  // Servers announce one another by address, for which the client cannot check a certificate.
  return { tls, ignoreClusterUpdates: true };
}

/** Ends the name of a login's second user, which has another password: see docs/rotation.md. */
export const SECOND_USER = /-2$/;

/** Each login has a prefix of its own for answers, so that NATS can keep other logins from reading them. */
export function inboxPrefixOf(login: string): string {
  return `_INBOX.${login}`;
}

function inboxOf(login: URL | undefined): { inboxPrefix?: string } {
  const user = decodeURIComponent(login?.username ?? '');
  // A token, or a name with a character that a subject cannot have.
  if (login?.password === '' || !/^[\w-]+$/.test(user)) return {};
  return { inboxPrefix: inboxPrefixOf(user.replace(SECOND_USER, '')) };
}

function credentialsOf({ username, password }: URL): { token: string } | { user: string; pass: string } {
  const user = decodeURIComponent(username);
  return password === '' ? { token: user } : { user, pass: decodeURIComponent(password) };
}

/** Returns `host:port` of each URL, for messages, without its credentials. */
export function hostAndPort(url: string, defaultPort: number): string {
  return url
    .split(',')
    .map((text) => new URL(text))
    .map(({ hostname, port }) => `${hostname}:${port === '' ? String(defaultPort) : port}`)
    .join(', ');
}
