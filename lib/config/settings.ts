import { resolve } from 'node:path';
import envVar from 'env-var';
import { readCorsOrigins, readDrainDelay, readRateLimit, readTrustedProxies } from './http-settings.ts';
import type { CorsOrigins } from './http-settings.ts';
import { readJwtSettings, type JwtSettings } from './jwt-settings.ts';
import { databasePasswordVariable, readSecretFiles } from './secret-files.ts';
import { databaseUrl, natsServerUrls, type NatsLogin } from './server-urls.ts';
import { readStreamSettings, type StreamSettings } from './stream-settings.ts';
import {
  databaseUrlVariable,
  isTableService,
  TABLE_SERVICES,
  type ServiceName,
  type TableService,
} from './service-names.ts';
import { StartupError } from './startup-error.ts';

export const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

export interface PinSettings {
  pepper?: string;
  /** Absolute path of the file with the RSA private keys that decrypt PINs. */
  privateKeysFile?: string;
}

/** What the environment decides. A field that is absent was not set; the embedded default fills it in. */
export interface Settings {
  port: number;
  host: string;
  /** Absolute path. */
  dataDir: string;
  production: boolean;
  /** An administrator's URL, to make databases and roles and to migrate. */
  postgresUrl?: string;
  databaseUrls: Partial<Record<TableService, string>>;
  /** There is a DATABASE_URL, which is not read: each service has its own. */
  hasStrayDatabaseUrl?: true;
  /** One URL, or several with commas between. */
  natsUrl?: string;
  eventStream: StreamSettings;
  jwt: JwtSettings;
  pin: PinSettings;
  /** Requests a minute for one user, or for one address without a valid token. */
  rateLimitPerMinute: number | 'off';
  /** Addresses and CIDR ranges of the proxies whose `X-Forwarded-For` is believed. */
  trustedProxies: string[];
  /** Whose pages in browsers may read answers. */
  corsOrigins: CorsOrigins;
  /** How long a gateway that stops, and is not ready any more, still accepts connections. */
  drainDelayS: number;
  logLevel: LogLevel;
  nodeId?: string;
}

// HS256 wants a key at least as long as its hash (RFC 7518, section 3.2); PINs are stored under HMAC-SHA-256 as well.
const MIN_SECRET_BYTES = 32;

/** As in deploy/nats.conf. */
const NATS_USER_DEFAULT = 'association';

/**
 * Reads the settings from the environment; a variable set to an empty string counts as not set.
 * @throws {StartupError} for a value that cannot be used.
 */
export function loadSettings(env: NodeJS.ProcessEnv = process.env): Settings {
  const reader = envVar.from(readSecretFiles(withoutEmpty(env)), {}, undefined);
  return saysWhatToDo(() => {
    // People at a terminal want the one line that says where; operators want the log.
    const defaultLogLevel = env['NODE_ENV'] === 'production' ? 'info' : 'warn';
    const text = (name: string): string | undefined => reader.get(name).asString();
    return withoutUndefined({
      port: reader.get('PORT').default(3000).asPortNumber(),
      host: reader.get('HOST').default('127.0.0.1').asString(),
      dataDir: resolve(reader.get('DATA_DIR').default('.data').asString()),
      production: text('NODE_ENV') === 'production',
      postgresUrl: databaseUrl('POSTGRES_URL', text('POSTGRES_URL'), text('POSTGRES_PASSWORD')),
      databaseUrls: readDatabaseUrls(text),
      hasStrayDatabaseUrl: text('DATABASE_URL') === undefined ? undefined : (true as const),
      natsUrl: natsServerUrls('NATS_URL', text('NATS_URL'), readNatsLogin(text)),
      eventStream: readStreamSettings(text),
      jwt: readJwtSettings(text),
      pin: withoutUndefined({
        pepper: longEnough('PIN_PEPPER', text('PIN_PEPPER')),
        privateKeysFile: absolute(text('PIN_PRIVATE_KEYS_FILE')),
      }),
      rateLimitPerMinute: readRateLimit(text('RATE_LIMIT')),
      trustedProxies: readTrustedProxies(text('TRUSTED_PROXIES')),
      corsOrigins: readCorsOrigins(text('CORS_ORIGINS')),
      drainDelayS: readDrainDelay(text('DRAIN_DELAY_S'), text('NODE_ENV') === 'production'),
      logLevel: reader.get('LOG_LEVEL').default(defaultLogLevel).asEnum(LOG_LEVELS),
      nodeId: text('NODE_ID'),
    });
  });
}

/**
 * Refuses to run `serviceNames` under NODE_ENV=production on made-up secrets or embedded servers; elsewhere it allows
 * everything.
 * @throws {StartupError} that names the first variable missing.
 */
export function requireForProduction(settings: Settings, serviceNames: readonly ServiceName[]): void {
  if (!settings.production) return;
  const missing = (variables: string): StartupError =>
    new StartupError(`NODE_ENV=production needs ${variables}: set it and start again.`);
  if (serviceNames.includes('gateway')) requireJwt(settings.jwt, missing);
  if (serviceNames.includes('membership')) {
    if (settings.pin.pepper === undefined) throw missing('PIN_PEPPER');
    if (settings.pin.privateKeysFile === undefined) throw missing('PIN_PRIVATE_KEYS_FILE');
  }
  for (const name of serviceNames.filter(isTableService)) {
    if (settings.databaseUrls[name] === undefined && settings.postgresUrl === undefined) {
      throw missing(`${databaseUrlVariable(name)} (or POSTGRES_URL)`);
    }
  }
  if (settings.natsUrl === undefined) throw missing('NATS_URL');
}

function requireJwt(jwt: JwtSettings, missing: (variables: string) => StartupError): void {
  if (jwt.secret === undefined && jwt.publicKeyPem === undefined && jwt.jwksUrl === undefined) {
    throw missing('JWT_SECRET (or JWT_PUBLIC_KEY, or JWT_JWKS_URL)');
  }
  longEnough('JWT_SECRET', jwt.secret);
}

function longEnough(variable: string, secret: string | undefined): string | undefined {
  if (secret === undefined || Buffer.byteLength(secret) >= MIN_SECRET_BYTES) return secret;
  throw new StartupError(`${variable} is too short: it needs at least ${String(MIN_SECRET_BYTES)} bytes.`);
}

function readDatabaseUrls(text: (name: string) => string | undefined): Settings['databaseUrls'] {
  const urls: Settings['databaseUrls'] = {};
  for (const service of TABLE_SERVICES) {
    const variable = databaseUrlVariable(service);
    const url = databaseUrl(variable, text(variable), text(databasePasswordVariable(service)));
    if (url !== undefined) urls[service] = url;
  }
  return urls;
}

function readNatsLogin(text: (name: string) => string | undefined): NatsLogin | undefined {
  const [user, password] = [text('NATS_USER'), text('NATS_PASSWORD')];
  if (password !== undefined) return { user: user ?? NATS_USER_DEFAULT, password };
  if (user !== undefined) throw new StartupError('NATS_USER needs NATS_PASSWORD or NATS_PASSWORD_FILE.');
  return undefined;
}

function absolute(path: string | undefined): string | undefined {
  return path === undefined ? undefined : resolve(path);
}

/** Compose files and CI pass variables that are not set as empty strings. */
function withoutEmpty(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined && value.trim() !== ''));
}

type Defined<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};

/** Drops the fields that are undefined, so that "not set" has one form: absent. */
function withoutUndefined<T extends object>(object: T): Defined<T> {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined)) as Defined<T>;
}

/** Turns the complaints of env-var, which name the variable and the rule, into lines of ours. */
function saysWhatToDo<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof envVar.EnvVarError)) throw error;
    throw new StartupError(error.message.replace('env-var: ', 'Bad setting: '));
  }
}
