/** What is known of the services of other teams: their names and their settings. */
import { LOG_LEVELS, type LogLevel } from './log-levels.ts';
import { nodeIdOf } from './node-id.ts';
import { readSecretFiles, withoutEmpty } from './secret-files.ts';
import { withNatsLogin, withPassword } from './server-urls.ts';
import { StartupError } from './startup-error.ts';
import { requireTlsFiles, withNatsTlsFiles } from './tls-files.ts';
import {
  databaseUrl,
  file,
  integer,
  natsUrls,
  oneOf,
  readText,
  SECRET_MIN_BYTES,
  secrets,
  text,
} from './variable-types.ts';
import { CLOCK_SETTINGS, type ClockSetting, type VariableType } from './variable-types.ts';

/** For each of them, X_FILE may name a file that holds it. */
const SECRETS = ['NATS_PASSWORD', 'DATABASE_PASSWORD', 'CALLER_KEY'];

/** The settings that every service needs. */
export interface ServiceSettings {
  /** Has the form of NATS_URL, with credentials. */
  natsUrl: string;
  /** The service's own database. */
  databaseUrl: string;
  /** Begins with the service's name. */
  nodeId: string;
  metricsHost: string;
  /** Absent for 9464 or, if that is in use, one of the next. */
  metricsPort: number | undefined;
  logLevel: LogLevel;
  /** Whether NODE_ENV is `production`: then the log consists of JSON lines. */
  production: boolean;
  /** The keys with which gateways sign who calls its routes. */
  callerKeys: readonly string[] | undefined;
  clock: ClockSetting;
  /** For the settings that only this service has. */
  env: NodeJS.ProcessEnv;
}

/**
 * Reads the settings of a service from NATS_URL, NATS_USER (by default the service's name), NATS_PASSWORD, NATS_TLS_CA_FILE,
 * NATS_TLS_CERT_FILE, NATS_TLS_KEY_FILE, DATABASE_URL, DATABASE_PASSWORD, CALLER_KEY, METRICS_HOST, METRICS_PORT, NODE_ID,
 * LOG_LEVEL, CLOCK and NODE_ENV. An empty variable counts as not set.
 * @throws StartupError for a value that is missing or cannot be used
 */
export function readServiceSettings(name: string, processEnv: NodeJS.ProcessEnv = process.env): ServiceSettings {
  const env = readSecretFiles(withoutEmpty(processEnv), SECRETS);
  const read = <T>(variable: string, type: VariableType<T>) => readText(env[variable], type, variable);
  const required = <T>(variable: string, type: VariableType<T>): T => {
    const value = read(variable, type);
    if (value === undefined) throw new StartupError(`${variable} is not set: it must be ${type.form}.`);
    return value;
  };
  const user = read('NATS_USER', text) ?? name;
  const withTls = withNatsTlsFiles(required('NATS_URL', natsUrls), (variable) => read(variable, file));
  const ownDatabase = required('DATABASE_URL', databaseUrl);
  requireTlsFiles('DATABASE_URL', ownDatabase);
  return {
    natsUrl: withNatsLogin(withTls, user, read('NATS_PASSWORD', text)),
    databaseUrl: withPassword(ownDatabase, read('DATABASE_PASSWORD', text)),
    nodeId: nodeIdOf(name, read('NODE_ID', text)),
    metricsHost: read('METRICS_HOST', text) ?? '127.0.0.1',
    metricsPort: read('METRICS_PORT', integer('a port', 0, 65_535)),
    logLevel: read('LOG_LEVEL', oneOf(LOG_LEVELS)) ?? 'info',
    production: env['NODE_ENV'] === 'production',
    callerKeys: read('CALLER_KEY', secrets(SECRET_MIN_BYTES)),
    clock: read('CLOCK', oneOf(CLOCK_SETTINGS)) ?? 'system',
    env: processEnv,
  };
}
