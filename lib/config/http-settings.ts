import proxyAddr from 'proxy-addr';
import { StartupError } from './startup-error.ts';

/** What is not limited in effect should say so with `off`. */
const RATE_LIMIT_MAX_PER_MINUTE = 1_000_000;

/** Contract, section 7: ten requests a second for as long as they last, far above what a person's app sends. */
const RATE_LIMIT_DEFAULT_PER_MINUTE = 600;

/**
 * Reads RATE_LIMIT: requests a minute for one user, or `off`.
 * @throws {StartupError} for anything else
 */
export function readRateLimit(value: string | undefined): number | 'off' {
  if (value === undefined) return RATE_LIMIT_DEFAULT_PER_MINUTE;
  const text = value.trim().toLowerCase();
  if (text === 'off') return 'off';
  const limit = /^\d{1,7}$/.test(text) ? Number(text) : 0;
  if (limit < 1 || limit > RATE_LIMIT_MAX_PER_MINUTE) {
    throw new StartupError(
      `RATE_LIMIT must be the requests a minute for one user, 1 to ${String(RATE_LIMIT_MAX_PER_MINUTE)}, or off.`,
    );
  }
  return limit;
}

/**
 * Longer than two probes at the usual intervals of balancers (1 to 2 s) take, and half of the 10 s after which Docker
 * kills a container.
 */
const DRAIN_DELAY_DEFAULT_S = 5;

/** The slowest balancers probe every 30 s and want several failures. */
const DRAIN_DELAY_MAX_S = 300;

/**
 * Reads DRAIN_DELAY_S: how long a gateway that stops still accepts connections, so that balancers see that it is not
 * ready. A Ctrl-C outside of production need not wait.
 * @throws {StartupError} for anything but whole seconds
 */
export function readDrainDelay(value: string | undefined, production: boolean): number {
  if (value === undefined) return production ? DRAIN_DELAY_DEFAULT_S : 0;
  const seconds = /^\d{1,3}$/.test(value.trim()) ? Number(value) : Infinity;
  if (seconds <= DRAIN_DELAY_MAX_S) return seconds;
  throw new StartupError(`DRAIN_DELAY_S must be whole seconds, 0 to ${String(DRAIN_DELAY_MAX_S)}.`);
}

/**
 * Reads TRUSTED_PROXIES: addresses and CIDR ranges whose `X-Forwarded-For` is believed; none by default.
 * @throws {StartupError} for what is neither
 */
export function readTrustedProxies(value: string | undefined): string[] {
  const proxies = (value ?? '')
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
  try {
    proxyAddr.compile(proxies);
  } catch {
    throw new StartupError(
      'TRUSTED_PROXIES must be IP addresses and CIDR ranges with commas between, such as 10.0.0.0/8,::1.',
    );
  }
  return proxies;
}

/** Whose pages may read answers: `any`, none (`off`), or those of these origins. */
export type CorsOrigins = 'any' | 'off' | string[];

/**
 * Reads CORS_ORIGINS: origins with commas between, `*`, or `off`. It is `*` by default: there are no cookies, every call
 * carries a bearer token, so no page can act for a user without having his token.
 * @throws {StartupError} for what is no origin
 */
export function readCorsOrigins(value: string | undefined): CorsOrigins {
  const text = (value ?? '*').trim();
  if (text === '*') return 'any';
  if (text.toLowerCase() === 'off') return 'off';
  const origins = text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
  if (origins.length === 0 || !origins.every(isOrigin)) {
    throw new StartupError(
      'CORS_ORIGINS must be origins with commas between, such as https://app.example.com,http://localhost:5173, or *, ' +
        'or off.',
    );
  }
  return origins;
}

/** Exactly as browsers write it: they are compared as texts. Apps in web views have schemes of their own. */
function isOrigin(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, host, username, password } = new URL(text);
  return host !== '' && username === '' && password === '' && text === `${protocol}//${host}`;
}
