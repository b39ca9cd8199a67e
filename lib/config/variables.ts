import * as is from './variable-types.ts';
import type { VariableType } from './variable-types.ts';
import { SERVICES, TABLE_SERVICES, type ServiceName } from './service-names.ts';
import { StartupError } from './startup-error.ts';

export const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

// HS256 wants a key at least as long as its hash (RFC 7518, section 3.2); PINs are stored under HMAC-SHA-256 as well.
export const SECRET_MIN_BYTES = 32;

/** What should not be limited in effect has to say so with `off`. */
const RATE_LIMIT_MAX_PER_MINUTE = 1_000_000;

/** The slowest load balancers probe every 30 s and want several failures. */
const DRAIN_DELAY_MAX_S = 300;

/** JetStream takes no more. */
const REPLICAS_MAX = 5;

/** Ten years: what lasts longer is no limit. */
const EVENTS_MAX_AGE_MAX_DAYS = 3_650;

/** One message may be 8 MB. */
const EVENTS_MAX_BYTES_MIN = 16 * 1024 * 1024;

/** One environment variable. */
export interface Variable<T> {
  type: VariableType<T>;
  /** The text that counts where the variable is not set. */
  default?: string;
  productionDefault?: string;
  /** For the documentation, where there is no default: what holds then. */
  unset?: string;
  /** The services whose processes use it. */
  readBy: readonly ServiceName[];
  /** Under NODE_ENV=production those services need it, or one of these. */
  neededOr?: readonly string[];
  /** It holds a secret, or a key too long for a variable: X_FILE may name a file that holds it. */
  inFile?: true;
  about: string;
}

type Described<T> = Omit<Variable<T>, 'default'>;

function variable<T>(described: Described<T> & { default: string }): Variable<T>;
function variable<T>(described: Described<T>): Variable<T | undefined>;
function variable<T>(described: Variable<T>): Variable<T | undefined> {
  return described;
}

/**
 * Every environment variable of the service, once. In a name, SERVICE stands for each service that has tables.
 * docs/running.md shows this table; a test compares the two.
 */
export const VARIABLES = {
  PORT: variable({
    type: is.integer('a port', 0, 65_535),
    default: '3000',
    readBy: ['gateway'],
    about: 'where the gateway listens; 0 lets the system choose',
  }),
  HOST: variable({
    type: is.text,
    default: '127.0.0.1',
    readBy: ['gateway'],
    about: 'the address that the gateway listens at',
  }),
  DATA_DIR: variable({
    type: is.directory,
    default: '.data',
    readBy: SERVICES,
    about: "the embedded servers' data, and development secrets",
  }),
  POSTGRES_URL: variable({
    type: is.databaseUrl,
    unset: 'embedded',
    readBy: TABLE_SERVICES,
    inFile: true,
    about: "an administrator's URL: databases and roles are made and migrated with it",
  }),
  SERVICE_DATABASE_URL: variable({
    type: is.databaseUrl,
    unset: 'embedded',
    readBy: TABLE_SERVICES,
    neededOr: ['POSTGRES_URL'],
    inFile: true,
    about: "each service's own database, with its own login role",
  }),
  POSTGRES_PASSWORD: variable({
    type: is.text,
    readBy: TABLE_SERVICES,
    inFile: true,
    about: 'the password for `POSTGRES_URL`, where that has none; nothing needs to be escaped here',
  }),
  SERVICE_DATABASE_PASSWORD: variable({
    type: is.text,
    readBy: TABLE_SERVICES,
    inFile: true,
    about: 'the password for the URL of the same service, where that has none',
  }),
  DATABASE_URL: variable({
    type: is.text,
    readBy: [],
    about: 'not used: each service has its own; `npm start` says so',
  }),
  NATS_URL: variable({
    type: is.natsUrls,
    unset: 'embedded',
    readBy: SERVICES,
    neededOr: [],
    inFile: true,
    about: 'NATS with JetStream',
  }),
  NATS_USER: variable({
    type: is.text,
    unset: '`association`',
    readBy: SERVICES,
    about: 'the user at NATS, where `NATS_URL` has none; needs `NATS_PASSWORD`',
  }),
  NATS_PASSWORD: variable({
    type: is.text,
    readBy: SERVICES,
    inFile: true,
    about: 'the password at NATS, where `NATS_URL` has none',
  }),
  EVENTS_REPLICAS: variable({
    type: is.integer('replicas', 1, REPLICAS_MAX),
    unset: '1 in a new stream',
    readBy: TABLE_SERVICES,
    about: 'how many NATS servers keep [the event stream](events.md#the-stream)',
  }),
  EVENTS_MAX_AGE: variable({
    // 0 is JetStream's "no limit".
    type: is.orOff(is.hoursOrDays(EVENTS_MAX_AGE_MAX_DAYS), 0),
    unset: 'no limit',
    readBy: TABLE_SERVICES,
    about: 'how long the event stream keeps an event',
  }),
  EVENTS_MAX_BYTES: variable({
    // -1 is JetStream's "no limit".
    type: is.orOff(is.integer('bytes', EVENTS_MAX_BYTES_MIN, Number.MAX_SAFE_INTEGER), -1),
    unset: 'no limit',
    readBy: TABLE_SERVICES,
    about: 'how large the event stream may become',
  }),
  JWT_SECRET: variable({
    type: is.text,
    unset: 'made under `DATA_DIR`',
    readBy: ['gateway'],
    neededOr: ['JWT_PUBLIC_KEY', 'JWT_JWKS_URL'],
    inFile: true,
    about: `signs tokens (HS256); at least ${String(SECRET_MIN_BYTES)} bytes in production`,
  }),
  JWT_PUBLIC_KEY: variable({
    type: is.publicKey,
    readBy: ['gateway'],
    inFile: true,
    about: 'verifies tokens: RSA, P-256, P-384, P-521, Ed25519',
  }),
  JWT_JWKS_URL: variable({
    type: is.keySetUrl,
    readBy: ['gateway'],
    about: "an identity provider's key set: see [Key sets](#key-sets)",
  }),
  JWT_ALGORITHMS: variable({
    type: is.algorithms,
    unset: 'those that the keys fit',
    readBy: ['gateway'],
    about: 'which signatures are accepted',
  }),
  JWT_ISSUER: variable({
    type: is.text,
    unset: 'any',
    readBy: ['gateway'],
    about: 'which `iss` of a token is accepted',
  }),
  JWT_AUDIENCE: variable({
    type: is.text,
    unset: 'any',
    readBy: ['gateway'],
    about: 'which `aud` of a token is accepted',
  }),
  RATE_LIMIT: variable({
    type: is.orOff(is.integer('requests a minute', 1, RATE_LIMIT_MAX_PER_MINUTE), 'off'),
    // Ten a second for as long as they last: far above what a person's app sends.
    default: '600',
    readBy: ['gateway'],
    about: 'the limit for one user, or for one address without a valid token',
  }),
  TRUSTED_PROXIES: variable({
    type: is.proxies,
    default: '',
    readBy: ['gateway'],
    about: 'the proxies whose `X-Forwarded-For` is believed',
  }),
  CORS_ORIGINS: variable({
    type: is.orOff(is.origins, 'off'),
    // There are no cookies: every call carries a bearer token, so no page can act for a user without their token.
    default: '*',
    readBy: ['gateway'],
    about: 'whose pages in browsers may call',
  }),
  DRAIN_DELAY_S: variable({
    type: is.integer('whole seconds', 0, DRAIN_DELAY_MAX_S),
    default: '0',
    // Longer than two probes at the usual intervals of load balancers (1 to 2 s) take, and half of the 10 s after which
    // Docker kills a container.
    productionDefault: '5',
    readBy: ['gateway'],
    about: 'how long a gateway that stops is not ready and still accepts connections',
  }),
  PIN_PEPPER: variable({
    type: is.secret(SECRET_MIN_BYTES),
    unset: 'made under `DATA_DIR`',
    readBy: ['membership'],
    neededOr: [],
    inFile: true,
    about: 'the key of the hashes that PINs are stored as',
  }),
  PIN_PRIVATE_KEYS_FILE: variable({
    type: is.file,
    unset: 'made under `DATA_DIR`',
    readBy: ['membership'],
    neededOr: [],
    about: 'the private keys that decrypt PINs',
  }),
  LOG_LEVEL: variable({
    type: is.oneOf(LOG_LEVELS),
    // People at a terminal want the one line that says where; operators want the log.
    default: 'warn',
    productionDefault: 'info',
    readBy: SERVICES,
    about: 'the least severe lines that are written',
  }),
  NODE_ID: variable({
    type: is.text,
    unset: 'host and process',
    readBy: SERVICES,
    about: "the node's name in the cluster",
  }),
  NODE_ENV: variable({
    type: { form: '`production`, or anything else', parse: (given: string) => given === 'production' },
    default: 'development',
    readBy: SERVICES,
    about: 'with `production`, a missing secret or an open NATS stops the start with one line; logs are JSON',
  }),
};

export type VariableKey = keyof typeof VARIABLES;
type ValueOf<K extends VariableKey> = (typeof VARIABLES)[K] extends Variable<infer T> ? T : never;

/** The names that a row of the table stands for. */
export function namesOf(key: VariableKey): string[] {
  return key.startsWith('SERVICE_') ? TABLE_SERVICES.map((service) => serviceVariable(key, service)) : [key];
}

/** The name of a service's own variable, such as TREASURY_DATABASE_URL. */
export function serviceVariable(key: string, service: ServiceName): string {
  return key.replace('SERVICE', service.toUpperCase());
}

/**
 * Reads one variable; `name` is one of those that `key` stands for.
 * @throws {StartupError} that never repeats the value, which may be a secret
 */
export function readVariable<K extends VariableKey>(env: NodeJS.ProcessEnv, key: K, name: string = key): ValueOf<K> {
  const { type, default: usual, productionDefault }: Variable<unknown> = VARIABLES[key];
  const inProduction = env['NODE_ENV'] === 'production' ? productionDefault : undefined;
  const given = env[name] ?? inProduction ?? usual;
  if (given === undefined) return undefined as ValueOf<K>;
  const value = type.parse(given);
  if (value === undefined) throw new StartupError(`${name} must be ${type.form}.`);
  return value as ValueOf<K>;
}
