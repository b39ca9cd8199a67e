import { isIPv4 } from 'node:net';
import { callerKeyVariable, servicesWithKeys } from './caller-keys.ts';
import { ACCESS_TOKEN_TYPE, OIDC_AUDIENCE, usableAlgorithms, type JwtSettings } from './jwt-settings.ts';
import { nodeIdOf } from './node-id.ts';
import { readSecretFiles, withoutEmpty } from './secret-files.ts';
import { withNatsLogin, withPassword } from './server-urls.ts';
import { DATABASE_SERVICES, SHARED_LOGIN, type AnyService, type DatabaseService } from './service-names.ts';
import { StartupError } from './startup-error.ts';
import { requireTlsFiles, withNatsTlsFiles } from './tls-files.ts';
import {
  IN_FILES,
  namesFor,
  namesOf,
  readVariable,
  serviceVariable,
  VARIABLES,
  type Variable,
  type VariableKey,
} from './variables.ts';
import { SECRET_MIN_BYTES } from './variable-types.ts';

/** The settings from the environment. A field that was not set is absent; the embedded servers and secrets replace it. */
export type Settings = ReturnType<typeof loadSettings>;

/**
 * Reads the settings from the environment; a variable set to an empty string counts as not set.
 * @param login the default of NATS_USER, and the beginning of the node's id
 * @throws StartupError for a value that cannot be used
 */
export function loadSettings(processEnv: NodeJS.ProcessEnv = process.env, login: string = SHARED_LOGIN) {
  const given = withoutEmpty(processEnv);
  const callers = servicesWithKeys(given);
  const env = readSecretFiles(given, [...IN_FILES, ...callers.map(callerKeyVariable)]);
  const read = <K extends VariableKey>(key: K) => readVariable(env, key);
  const names = (Object.keys(VARIABLES) as VariableKey[]).flatMap(namesOf);
  return withoutUndefined({
    /** The names of the variables that are set. */
    given: new Set(names.filter((name) => env[name] !== undefined)),
    port: read('PORT'),
    host: read('HOST'),
    metricsPort: read('METRICS_PORT'),
    metricsHost: read('METRICS_HOST'),
    dataDir: read('DATA_DIR'),
    production: read('NODE_ENV'),
    postgresUrl: readPostgresUrl(env),
    databaseUrls: readDatabaseUrls(env),
    natsUrl: readNatsUrl(env, login),
    eventStream: withoutUndefined({
      replicas: read('EVENTS_REPLICAS'),
      maxAgeMs: read('EVENTS_MAX_AGE'),
      maxBytes: read('EVENTS_MAX_BYTES'),
    }),
    jwt: readJwtSettings(env),
    pin: withoutUndefined({
      pepper: read('PIN_PEPPER'),
      secondPepper: readSecond(env, 'PIN_PEPPER'),
      privateKeysFile: read('PIN_PRIVATE_KEYS_FILE'),
    }),
    /** By service, also those of further services and of other teams. */
    callerKeys: readCallerKeys(env, callers),
    callerStatements: read('CALLER_STATEMENTS'),
    rateLimitPerMinute: read('RATE_LIMIT'),
    callsMax: read('CALLS_MAX'),
    trustedProxies: read('TRUSTED_PROXIES'),
    corsOrigins: read('CORS_ORIGINS'),
    drainDelayS: read('DRAIN_DELAY_S'),
    logLevel: read('LOG_LEVEL'),
    clock: read('CLOCK'),
    nodeId: nodeIdOf(login, read('NODE_ID')),
  });
}

/**
 * Refuses to run `services` under NODE_ENV=production with development secrets or embedded servers. Otherwise it allows
 * everything.
 * @throws StartupError that names the first missing variable
 */
export function requireForProduction(settings: Settings, services: readonly AnyService[]): void {
  if (!settings.production) return;
  if (settings.clock === 'test') {
    throw new StartupError('CLOCK=test is for tests only: leave CLOCK out under NODE_ENV=production.');
  }
  for (const [key, { neededOr, readBy }] of Object.entries<Variable<unknown>>(VARIABLES)) {
    const readers = services.filter((service) => readBy.includes(service));
    if (neededOr === undefined) continue;
    for (const name of new Set(readers.flatMap((service) => namesFor(key as VariableKey, service)))) {
      if ([name, ...neededOr].some((each) => settings.given.has(each))) continue;
      const others = neededOr.length === 0 ? '' : ` (${neededOr.map((other) => `or ${other}`).join(', ')})`;
      throw new StartupError(`NODE_ENV=production needs ${name}${others}: set it and start again.`);
    }
  }
  if (!services.some((service) => VARIABLES.JWT_SECRET.readBy.includes(service))) return;
  const { secret, secondSecret } = settings.jwt;
  for (const [name, value] of Object.entries({ JWT_SECRET: secret, JWT_SECRET_SECOND: secondSecret })) {
    if (value === undefined || Buffer.byteLength(value) >= SECRET_MIN_BYTES) continue;
    throw new StartupError(`${name} is too short: it needs at least ${String(SECRET_MIN_BYTES)} bytes.`);
  }
}

function readPostgresUrl(env: NodeJS.ProcessEnv): string | undefined {
  const url = readVariable(env, 'POSTGRES_URL');
  requireTlsFiles('POSTGRES_URL', url);
  return withPassword(url, readVariable(env, 'POSTGRES_PASSWORD'));
}

function readDatabaseUrls(env: NodeJS.ProcessEnv): Partial<Record<DatabaseService, string>> {
  const urls: Partial<Record<DatabaseService, string>> = {};
  for (const service of DATABASE_SERVICES) {
    const read = <K extends VariableKey>(key: K) => readVariable(env, key, serviceVariable(key, service));
    const url = withPassword(read('SERVICE_DATABASE_URL'), read('SERVICE_DATABASE_PASSWORD'));
    requireTlsFiles(serviceVariable('SERVICE_DATABASE_URL', service), url);
    if (url !== undefined) urls[service] = url;
  }
  return urls;
}

function readCallerKeys(env: NodeJS.ProcessEnv, services: readonly string[]): Partial<Record<string, string[]>> {
  const keys: Partial<Record<string, string[]>> = {};
  for (const service of services) {
    const given = readVariable(env, 'SERVICE_CALLER_KEY', callerKeyVariable(service));
    if (given !== undefined) keys[service] = given;
  }
  return keys;
}

/** Returns NATS_URL with the files for TLS and, unless one of its servers has a login, NATS_USER and NATS_PASSWORD. */
function readNatsUrl(env: NodeJS.ProcessEnv, defaultUser: string): string | undefined {
  const urls = readVariable(env, 'NATS_URL');
  const user = readVariable(env, 'NATS_USER');
  const password = readVariable(env, 'NATS_PASSWORD');
  if (password === undefined && user !== undefined) {
    throw new StartupError('NATS_USER needs NATS_PASSWORD or NATS_PASSWORD_FILE.');
  }
  const withTls = withNatsTlsFiles(urls, (variable) => readVariable(env, variable));
  return withNatsLogin(withTls, user ?? defaultUser, password);
}

/** Returns the secret that is accepted beside another one, while it replaces that one or is replaced. */
function readSecond(env: NodeJS.ProcessEnv, key: 'JWT_SECRET' | 'JWT_PUBLIC_KEY' | 'PIN_PEPPER'): string | undefined {
  const second = readVariable(env, `${key}_SECOND`);
  if (second === undefined || readVariable(env, key) !== undefined) return second;
  throw new StartupError(`${key}_SECOND needs ${key}: set both, or only ${key}.`);
}

function readJwtSettings(env: NodeJS.ProcessEnv): JwtSettings {
  const jwksUrl = readVariable(env, 'JWT_JWKS_URL');
  const jwt: JwtSettings = {
    ...readIssuer(env),
    ...withoutUndefined({
      secret: readVariable(env, 'JWT_SECRET'),
      secondSecret: readSecond(env, 'JWT_SECRET'),
      publicKeyPem: readVariable(env, 'JWT_PUBLIC_KEY'),
      secondPublicKeyPem: readSecond(env, 'JWT_PUBLIC_KEY'),
      provider: jwksUrl === undefined ? undefined : { jwksUrl },
      algorithms: readVariable(env, 'JWT_ALGORITHMS'),
      issuer: readVariable(env, 'JWT_ISSUER'),
      audience: readVariable(env, 'JWT_AUDIENCE'),
      types: readVariable(env, 'JWT_TYPES'),
    }),
  };
  const usable = usableAlgorithms(jwt);
  if (jwt.algorithms?.every((algorithm) => usable.includes(algorithm)) ?? true) return jwt;
  throw new StartupError(`JWT_ALGORITHMS must be among ${usable.join(', ')}: the keys that are set fit no others.`);
}

/** OIDC_ISSUER decides what these would: which keys verify tokens, and their `iss`. */
const DECIDED_BY_ISSUER = ['JWT_SECRET', 'JWT_PUBLIC_KEY', 'JWT_JWKS_URL', 'JWT_ISSUER'];

/** Returns what OIDC_ISSUER sets; JWT_AUDIENCE and JWT_TYPES may replace the last two. */
function readIssuer(env: NodeJS.ProcessEnv): JwtSettings {
  const issuer = readVariable(env, 'OIDC_ISSUER');
  if (issuer === undefined) return {};
  const other = DECIDED_BY_ISSUER.flatMap((name) => [`${name}_FILE`, name]).find((name) => env[name] !== undefined);
  if (other !== undefined) throw new StartupError(`OIDC_ISSUER and ${other} are both set: remove one of them.`);
  // On the way, keys that are fetched over http could be replaced.
  if (readVariable(env, 'NODE_ENV') && !isHttpsOrLoopback(new URL(issuer))) {
    throw new StartupError('OIDC_ISSUER must be an https URL in production, unless its host is localhost.');
  }
  return { provider: { issuer }, issuer, audience: OIDC_AUDIENCE, types: [ACCESS_TOKEN_TYPE] };
}

function isHttpsOrLoopback({ protocol, hostname }: URL): boolean {
  const isLoopbackV4 = isIPv4(hostname) && hostname.startsWith('127.');
  return protocol === 'https:' || isLoopbackV4 || ['localhost', '[::1]'].includes(hostname);
}

type Defined<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};

/** Drops the fields that are undefined, so that "not set" has one form: absent. */
function withoutUndefined<T extends object>(object: T): Defined<T> {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined)) as Defined<T>;
}
