import * as http from './http-variable-types.ts';
import * as is from './variable-types.ts';
import { CLOCK_SETTINGS, readText, SECRET_MIN_BYTES, type VariableType } from './variable-types.ts';
import { ALL_SERVICES, DATABASE_SERVICES, hasDatabase, TABLE_SERVICES, type AnyService } from './service-names.ts';
import { LOG_LEVELS } from './log-levels.ts';

/** A higher limit would have no effect: operators who want none should set `off`. */
const RATE_LIMIT_MAX_PER_MINUTE = 1_000_000;

/** In a stall 3.4 times as many are in flight, and lost messages are sent again for 10 000 (lib/transport/lost-messages.ts). */
const CALLS_LIMIT_MAX = 2_500;

/** The slowest load balancers probe every 30 s and want several failures. */
const DRAIN_DELAY_MAX_S = 300;

/** JetStream accepts no more. */
const REPLICAS_MAX = 5;

/** Ten years: a longer age would have no effect. */
const EVENTS_MAX_AGE_MAX_DAYS = 3_650;

/** Two messages of the largest size (8 MB). */
const EVENTS_MAX_BYTES_MIN = 16 * 1024 * 1024;

/** One environment variable. */
export interface Variable<T> {
  type: VariableType<T>;
  /** The value if the variable is not set. */
  default?: string;
  productionDefault?: string;
  /** For the documentation: what applies if the variable is not set and has no default. */
  unset?: string;
  /** The services whose processes use it. */
  readBy: readonly AnyService[];
  /** Under NODE_ENV=production, those services need the variable, or one of these. */
  neededOr?: readonly string[];
  /** The variable holds a secret, or a key too long for a variable: X_FILE may name a file that holds the value. */
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
 * Every environment variable of the service, once. In a name, SERVICE is replaced by each service that has a database.
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
    about: 'the address on which the gateway listens',
  }),
  METRICS_PORT: variable({
    type: is.integer('a port', 0, 65_535),
    unset: '`9464` or, if that is in use, one of the next',
    readBy: ALL_SERVICES,
    about: 'where each process serves [its metrics and health](observability.md); 0 lets the system choose',
  }),
  METRICS_HOST: variable({
    type: is.text,
    default: '127.0.0.1',
    readBy: ALL_SERVICES,
    about: 'the address on which each process serves its metrics and health',
  }),
  DATA_DIR: variable({
    type: is.directory,
    default: '.data',
    readBy: ALL_SERVICES,
    about: "the embedded servers' data, and development secrets",
  }),
  POSTGRES_URL: variable({
    type: is.databaseUrl,
    unset: 'embedded',
    readBy: DATABASE_SERVICES,
    inFile: true,
    about: "an administrator's URL: databases and roles are created and migrated with it",
  }),
  SERVICE_DATABASE_URL: variable({
    type: is.databaseUrl,
    unset: 'embedded',
    readBy: DATABASE_SERVICES,
    neededOr: ['POSTGRES_URL'],
    inFile: true,
    about: "each service's own database, with its own login role",
  }),
  POSTGRES_PASSWORD: variable({
    type: is.text,
    readBy: DATABASE_SERVICES,
    inFile: true,
    about: 'the password for `POSTGRES_URL`, where that has none; nothing needs to be escaped here',
  }),
  SERVICE_DATABASE_PASSWORD: variable({
    type: is.text,
    readBy: DATABASE_SERVICES,
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
    readBy: ALL_SERVICES,
    neededOr: [],
    inFile: true,
    about: 'NATS with JetStream',
  }),
  NATS_USER: variable({
    type: is.text,
    unset: "the service's name",
    readBy: ALL_SERVICES,
    about: 'the user at NATS, where `NATS_URL` has none: see [NATS logins](deployment.md#nats-logins)',
  }),
  NATS_PASSWORD: variable({
    type: is.text,
    readBy: ALL_SERVICES,
    inFile: true,
    about: 'the password at NATS, where `NATS_URL` has none',
  }),
  NATS_TLS_CA_FILE: variable({
    type: is.file,
    unset: 'the public CAs',
    readBy: ALL_SERVICES,
    about: 'the CA of the certificates of NATS, with `tls://` in `NATS_URL`: see [TLS](deployment.md#tls)',
  }),
  NATS_TLS_CERT_FILE: variable({
    type: is.file,
    readBy: ALL_SERVICES,
    about: 'a certificate with which the process proves to NATS who it is',
  }),
  NATS_TLS_KEY_FILE: variable({
    type: is.file,
    readBy: ALL_SERVICES,
    about: 'the private key of that certificate',
  }),
  EVENTS_REPLICAS: variable({
    type: is.integer('replicas', 1, REPLICAS_MAX),
    unset: '1 in a new stream',
    readBy: ['treasury'],
    about: 'how many NATS servers keep [the event stream](events.md#the-stream)',
  }),
  EVENTS_MAX_AGE: variable({
    // 0 is JetStream's "no limit".
    type: is.orOff(is.hoursOrDays(EVENTS_MAX_AGE_MAX_DAYS), 0),
    unset: 'no limit',
    readBy: ['treasury'],
    about: 'how long the event stream keeps an event',
  }),
  EVENTS_MAX_BYTES: variable({
    // -1 is JetStream's "no limit".
    type: is.orOff(is.integer('bytes', EVENTS_MAX_BYTES_MIN, Number.MAX_SAFE_INTEGER), -1),
    unset: 'no limit',
    readBy: ['treasury'],
    about: 'how large the event stream may become',
  }),
  OIDC_ISSUER: variable({
    type: http.issuer,
    readBy: ['gateway'],
    about: 'an OpenID Connect provider, instead of a key and `JWT_ISSUER`: see [Identity](identity.md)',
  }),
  JWT_SECRET: variable({
    type: is.text,
    unset: 'created under `DATA_DIR`',
    readBy: ['gateway'],
    neededOr: ['JWT_PUBLIC_KEY', 'JWT_JWKS_URL', 'OIDC_ISSUER'],
    inFile: true,
    about: `signs tokens (HS256); at least ${String(SECRET_MIN_BYTES)} bytes in production`,
  }),
  JWT_PUBLIC_KEY: variable({
    type: http.publicKey,
    readBy: ['gateway'],
    inFile: true,
    about: 'verifies tokens: RSA, P-256, P-384, P-521, Ed25519',
  }),
  JWT_SECRET_SECOND: variable({
    type: is.text,
    readBy: ['gateway'],
    inFile: true,
    about: 'verifies tokens too, while `JWT_SECRET` is [replaced](rotation.md)',
  }),
  JWT_PUBLIC_KEY_SECOND: variable({
    type: http.publicKey,
    readBy: ['gateway'],
    inFile: true,
    about: 'verifies tokens too, while `JWT_PUBLIC_KEY` is replaced',
  }),
  JWT_JWKS_URL: variable({
    type: http.keySetUrl,
    readBy: ['gateway'],
    about: "an identity provider's key set: see [Identity](identity.md)",
  }),
  JWT_ALGORITHMS: variable({
    type: http.algorithms,
    unset: 'those that fit the keys',
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
    about: 'which `aud` of a token is accepted; with `OIDC_ISSUER`, by default `association-service`',
  }),
  JWT_TYPES: variable({
    type: http.tokenTypes,
    unset: 'any',
    readBy: ['gateway'],
    about: 'which `typ` of a token is accepted; with `OIDC_ISSUER`, by default `at+jwt`',
  }),
  RATE_LIMIT: variable({
    type: is.orOff(is.integer('requests a minute', 1, RATE_LIMIT_MAX_PER_MINUTE), 'off'),
    // Ten a second on average: far more than one person's app sends.
    default: '600',
    readBy: ['gateway'],
    about: 'the limit for one user, or for one address without a valid token',
  }),
  CALLS_MAX: variable({
    type: is.integer('calls', 1, CALLS_LIMIT_MAX),
    // Throughput no longer rises beyond 128 contributions in flight, which are four fifths. More calls delay refusals: at three times
    // the capacity, on two cores shared by all processes, the p99 in 10 and 20 s was 48 to 274 ms with 128 (six times), 57 to 190 ms
    // with 160 (ten times), 131 and 382 ms with 224. The first second decides it; the median second had 27 to 48 ms with any.
    default: '160',
    readBy: ['gateway'],
    about:
      'how many calls of services a gateway waits for, four fifths of them writes, or four times as many while none succeeds; further requests get 503 `overloaded`',
  }),
  TRUSTED_PROXIES: variable({
    type: http.proxies,
    default: '',
    readBy: ['gateway'],
    about: 'the proxies whose `X-Forwarded-For` is trusted',
  }),
  CORS_ORIGINS: variable({
    type: is.orOff(http.origins, 'off'),
    // Every call needs a bearer token and there are no cookies, so a page cannot act for a user without their token.
    default: '*',
    readBy: ['gateway'],
    about: 'the origins whose pages may call the API',
  }),
  DRAIN_DELAY_S: variable({
    type: is.integer('whole seconds', 0, DRAIN_DELAY_MAX_S),
    default: '0',
    // Longer than two probes of a load balancer at the usual intervals (1 to 2 s), and half of the 10 s after which Docker
    // kills a container.
    productionDefault: '5',
    readBy: ['gateway'],
    about: 'how long a stopping gateway reports that it is not ready, and still accepts connections',
  }),
  PIN_PEPPER: variable({
    type: is.secret(SECRET_MIN_BYTES),
    unset: 'created under `DATA_DIR`',
    readBy: ['membership'],
    neededOr: [],
    inFile: true,
    about: 'the key of the HMACs that are stored for PINs',
  }),
  PIN_PEPPER_SECOND: variable({
    type: is.secret(SECRET_MIN_BYTES),
    readBy: ['membership'],
    inFile: true,
    about: 'the key of some of them, while `PIN_PEPPER` is [replaced](rotation.md)',
  }),
  PIN_PRIVATE_KEYS_FILE: variable({
    type: is.file,
    unset: 'created under `DATA_DIR`',
    readBy: ['membership'],
    neededOr: [],
    about: 'the private keys that decrypt PINs',
  }),
  SERVICE_CALLER_KEY: variable({
    type: is.secrets(SECRET_MIN_BYTES),
    unset: 'derived from those under `DATA_DIR`',
    readBy: ALL_SERVICES,
    neededOr: [],
    inFile: true,
    about:
      'the key with which the gateway signs who calls, for each service; the gateway needs those of services with tables, and serves the routes of others if it has theirs: see [Caller keys](deployment.md#caller-keys)',
  }),
  CALLER_STATEMENTS: variable({
    type: is.oneOf(['required', 'optional']),
    default: 'required',
    readBy: TABLE_SERVICES,
    about:
      'whether calls need a signed statement of who calls; `optional` only [while 0.1.0 is replaced](upgrades.md#from-010)',
  }),
  LOG_LEVEL: variable({
    type: is.oneOf(LOG_LEVELS),
    // At a terminal, the line with the URL is enough; operators need the log.
    default: 'warn',
    productionDefault: 'info',
    readBy: ALL_SERVICES,
    about: 'the least severe lines that are written',
  }),
  CLOCK: variable({
    type: is.oneOf(CLOCK_SETTINGS),
    default: 'system',
    readBy: ALL_SERVICES,
    about: 'with `test`, `POST /clock` advances the time of all services (see below); refused in production',
  }),
  NODE_ID: variable({
    type: is.text,
    unset: 'host and process',
    readBy: ALL_SERVICES,
    about: "the node's name in the cluster, after the service's",
  }),
  NODE_ENV: variable({
    type: { form: '`production`, or anything else', parse: (given: string) => given === 'production' },
    default: 'development',
    readBy: ALL_SERVICES,
    about: 'with `production`, logs are JSON, and the start fails if a secret is missing or NATS has no login',
  }),
};

export type VariableKey = keyof typeof VARIABLES;
type ValueOf<K extends VariableKey> = (typeof VARIABLES)[K] extends Variable<infer T> ? T : never;

/** Returns the names of the variables that an entry of the table describes. */
export function namesOf(key: VariableKey): string[] {
  return key.startsWith('SERVICE_') ? DATABASE_SERVICES.map((service) => serviceVariable(key, service)) : [key];
}

/**
 * The variables that hold a secret, or a key too long for a variable. For each variable X of them, X_FILE may name a file
 * that holds the value: environments are visible in `docker inspect`, in crash reports and to every child process.
 */
export const IN_FILES: readonly string[] = Object.entries<Variable<unknown>>(VARIABLES)
  .filter(([, { inFile }]) => inFile === true)
  .flatMap(([key]) => namesOf(key as VariableKey));

/**
 * Returns the names of the variables of an entry that a process of the service uses. The gateway has no own, and uses those of the
 * services with tables; it serves the routes of further services only if it has their keys.
 */
export function namesFor(key: VariableKey, service: AnyService): string[] {
  if (!key.startsWith('SERVICE_')) return namesOf(key);
  return (hasDatabase(service) ? [service] : TABLE_SERVICES).map((each) => serviceVariable(key, each));
}

/** Returns the name of a service's own variable, such as TREASURY_DATABASE_URL. */
export function serviceVariable(key: string, service: AnyService): string {
  return key.replace('SERVICE', service.toUpperCase());
}

/**
 * Reads one variable; `name` is one of namesOf(`key`).
 * @throws StartupError that never repeats the value, which may be a secret
 */
export function readVariable<K extends VariableKey>(env: NodeJS.ProcessEnv, key: K, name: string = key): ValueOf<K> {
  const { type, default: defaultText, productionDefault }: Variable<unknown> = VARIABLES[key];
  const inProduction = env['NODE_ENV'] === 'production' ? productionDefault : undefined;
  return readText(env[name] ?? inProduction ?? defaultText, type, name) as ValueOf<K>;
}
