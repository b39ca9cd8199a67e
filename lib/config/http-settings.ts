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
