import { createPublicKey } from 'node:crypto';
import { resolve } from 'node:path';
import proxyAddr from 'proxy-addr';
import { ASYMMETRIC, SYMMETRIC, tokenType, type Algorithm } from './jwt-settings.ts';

/** The form of an environment variable. */
export interface VariableType<T> {
  /** Completes "PORT must be …", in errors and in the documentation. */
  form: string;
  /** Returns the value; undefined for a text that cannot be used. */
  parse: (text: string) => T | undefined;
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

export const databaseUrl: VariableType<string> = {
  form: 'postgres://user:password@host:port/database (percent-encode special characters)',
  parse: (given) => (hasProtocol(given, ['postgres:', 'postgresql:']) ? given : undefined),
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

export const keySetUrl: VariableType<string> = {
  form: 'an http(s) URL without user and password',
  parse(given) {
    if (!hasProtocol(given, ['http:', 'https:'])) return undefined;
    // fetch() refuses a URL with a password, but only when it is called.
    const { username, password } = new URL(given);
    return username + password === '' ? given : undefined;
  },
};

/** An issuer has no query and no fragment (OpenID Connect Discovery 1.0, section 3). */
export const issuer: VariableType<string> = {
  form: 'an http(s) URL without user, password, query and fragment',
  parse(given) {
    const url = given.trim();
    return /[?#]/.test(url) ? undefined : keySetUrl.parse(url);
  },
};

function hasProtocol(url: string, protocols: readonly string[]): boolean {
  return URL.canParse(url) && protocols.includes(new URL(url).protocol);
}

/** The line breaks may be written as `\n`, as many formats of environment files require. */
export const publicKey: VariableType<string> = {
  form: 'a public key in PEM form (-----BEGIN PUBLIC KEY-----)',
  parse(given) {
    const pem = given.replaceAll('\\n', '\n');
    // Node would derive the public key from a private one, which does not belong here.
    if (pem.includes('PRIVATE KEY')) return undefined;
    try {
      createPublicKey(pem);
      return pem;
    } catch {
      return undefined;
    }
  },
};

const ALGORITHMS: readonly Algorithm[] = [...SYMMETRIC, ...ASYMMETRIC];

export const algorithms: VariableType<Algorithm[]> = {
  form: `some of ${ALGORITHMS.join(', ')}, with commas between`,
  parse(given) {
    const names = listOf(given);
    const areKnown = names.length > 0 && names.every((name) => (ALGORITHMS as readonly string[]).includes(name));
    return areKnown ? (names as Algorithm[]) : undefined;
  },
};

export const tokenTypes: VariableType<string[]> = {
  form: 'types with commas between, such as at+jwt,JWT',
  parse(given) {
    const types = listOf(given).map(tokenType);
    return types.length > 0 && types.every((type) => /^[\w.+-]+$/.test(type)) ? types : undefined;
  },
};

export const proxies: VariableType<string[]> = {
  form: 'IP addresses and CIDR ranges with commas between, such as 10.0.0.0/8,::1',
  parse(given) {
    const addresses = listOf(given);
    try {
      proxyAddr.compile(addresses);
      return addresses;
    } catch {
      return undefined;
    }
  },
};

/** The origins whose pages may read answers: `any`, none (`off`), or these. */
export type CorsOrigins = 'any' | 'off' | string[];

export const origins: VariableType<'any' | string[]> = {
  form: 'origins with commas between, such as https://app.example.com,http://localhost:5173, or *',
  parse(given) {
    if (given.trim() === '*') return 'any';
    const list = listOf(given);
    return list.length > 0 && list.every(isOrigin) ? list : undefined;
  },
};

/** Whether it is an origin as browsers send it: origins are compared as texts. Web views also use other schemes. */
function isOrigin(given: string): boolean {
  if (!URL.canParse(given)) return false;
  const { protocol, host, username, password } = new URL(given);
  return host !== '' && username + password === '' && given === `${protocol}//${host}`;
}

function listOf(given: string): string[] {
  return given
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}
