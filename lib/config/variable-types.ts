import { resolve } from 'node:path';
import { StartupError } from './startup-error.ts';

/** The form of an environment variable. */
export interface VariableType<T> {
  /** Completes "PORT must be …", in errors and in the documentation. */
  form: string;
  /** Returns the value; undefined for a text that cannot be used. */
  parse: (text: string) => T | undefined;
}

// HS256 requires a key at least as long as its hash (RFC 7518, section 3.2). PINs are stored as HMAC-SHA-256 as well.
export const SECRET_MIN_BYTES = 32;

/** The values of CLOCK. */
export const CLOCK_SETTINGS = ['system', 'test'] as const;
export type ClockSetting = (typeof CLOCK_SETTINGS)[number];

/**
 * Returns the value of a variable's text; undefined if it is absent.
 * @throws StartupError that never repeats the text, which may be a secret
 */
export function readText<T>(given: string | undefined, { form, parse }: VariableType<T>, name: string): T | undefined {
  if (given === undefined) return undefined;
  const value = parse(given);
  if (value === undefined) throw new StartupError(`${name} must be ${form}.`);
  return value;
}

export const text: VariableType<string> = { form: 'a string', parse: (given) => given };

export const directory: VariableType<string> = { form: 'a directory', parse: (given) => resolve(given) };

export const file: VariableType<string> = { form: 'a file', parse: (given) => resolve(given) };

export function secret(bytes_min: number): VariableType<string> {
  return {
    form: `a secret of at least ${String(bytes_min)} bytes`,
    parse: (given) => (Buffer.byteLength(given) >= bytes_min ? given : undefined),
  };
}

/** Accepts one secret, or two with a comma between while one replaces the other. */
export function secrets(bytes_min: number): VariableType<string[]> {
  return {
    form: `a secret of at least ${String(bytes_min)} bytes, or two with a comma between`,
    parse(given) {
      const all = given.split(',').map((each) => each.trim());
      return all.length <= 2 && all.every((each) => Buffer.byteLength(each) >= bytes_min) ? all : undefined;
    },
  };
}

/**
 * Accepts a whole number from `min` to `max`.
 * @param unit the counted unit, in the plural
 */
export function integer(unit: string, min: number, max: number): VariableType<number> {
  return {
    form: `${unit}, ${String(min)} to ${String(max)}`,
    parse(given) {
      const value = /^\d+$/.test(given.trim()) ? Number(given) : NaN;
      return value >= min && value <= max ? value : undefined;
    },
  };
}

export function oneOf<const T extends string>(values: readonly T[]): VariableType<T> {
  return { form: `one of ${values.join(', ')}`, parse: (given) => values.find((value) => value === given.trim()) };
}

/** Also accepts `off`, in any case. */
export function orOff<T, const O>(type: VariableType<T>, off: O): VariableType<T | O> {
  return {
    form: `${type.form}, or off`,
    parse: (given) => (given.trim().toLowerCase() === 'off' ? off : type.parse(given)),
  };
}

const HOUR_MS = 3_600_000;

/** Accepts a number of hours or days; the value is in milliseconds. */
export function hoursOrDays(days_max: number): VariableType<number> {
  return {
    form: `hours or days, such as 12h or 30d, 1h to ${String(days_max)}d`,
    parse(given) {
      const [, count, unit] = /^(\d+)([hd])$/.exec(given.trim().toLowerCase()) ?? [];
      const value_ms = Number(count) * HOUR_MS * (unit === 'd' ? 24 : 1);
      return value_ms >= HOUR_MS && value_ms <= days_max * 24 * HOUR_MS ? value_ms : undefined;
    },
  };
}

/** The only modes whose meaning does not depend on the version of the driver: a verified server, and no TLS. */
const SSL_MODES = ['verify-full', 'disable'];

export const databaseUrl: VariableType<string> = {
  form: 'postgres://user:password@host:port/database (percent-encode special characters; with TLS, ?sslmode=verify-full)',
  parse(given) {
    if (!hasProtocol(given, ['postgres:', 'postgresql:'])) return undefined;
    const { searchParams } = new URL(given);
    const isAmbiguous = ['ssl', 'uselibpqcompat', 'sslnegotiation'].some((name) => searchParams.has(name));
    const modes = searchParams.getAll('sslmode');
    const hasFile = ['sslrootcert', 'sslcert', 'sslkey'].some((name) => searchParams.has(name));
    if (isAmbiguous || modes.length > 1 || (hasFile && modes[0] !== 'verify-full')) return undefined;
    return modes.every((mode) => SSL_MODES.includes(mode)) ? given : undefined;
  },
};

/** Accepts one server, or several with commas between them, and adds `nats://` to those without a protocol. */
export const natsUrls: VariableType<string> = {
  form: 'nats://host:port or tls://host:port, several with commas between',
  parse(given) {
    const urls = given.split(',').map((part) => (part.includes('://') ? part.trim() : `nats://${part.trim()}`));
    const areGood = urls.every((url) => hasProtocol(url, ['nats:', 'tls:']) && new URL(url).host !== '');
    return areGood ? urls.join(',') : undefined;
  },
};

/** Whether the text is a URL with one of these protocols. */
export function hasProtocol(url: string, protocols: readonly string[]): boolean {
  return URL.canParse(url) && protocols.includes(new URL(url).protocol);
}
