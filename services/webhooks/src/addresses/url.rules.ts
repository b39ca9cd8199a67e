/** Which URLs an endpoint may have, as far as their text decides. */
import { isAddress, isPublicAddress } from './address.rules.ts';

/** As long as the URLs that common servers accept. */
export const URL_MAX_CODE_POINTS = 2_048;

/** As long as a name in the DNS can be (RFC 1035), without the dot at its end. */
export const HOST_MAX_CHARACTERS = 253;

/** Names that never belong to the public DNS (RFC 6761, RFC 8375 and others). What they resolve to would be refused as well. */
const SPECIAL_DOMAINS = ['localhost', 'local', 'internal', 'home.arpa', 'invalid', 'test', 'onion', 'alt'];

/** Why a URL is refused: the code and the English text of the complaint. */
export interface UrlRefusal {
  code: 'malformed' | 'not_allowed';
  detail: string;
}

const MALFORMED: UrlRefusal = { code: 'malformed', detail: 'This must be a URL such as https://example.com/hook.' };
const NOT_HTTPS: UrlRefusal = { code: 'not_allowed', detail: 'The URL must begin with https://.' };
const LONG_HOST: UrlRefusal = {
  code: 'malformed',
  detail: `The host of the URL must have at most ${String(HOST_MAX_CHARACTERS)} characters.`,
};
const EXTRA_PARTS: UrlRefusal = {
  code: 'not_allowed',
  detail: 'The URL must have no user name, password or fragment.',
};

/** Says nothing of the addresses: the caller must not learn what a private name resolves to. */
export const NOT_PUBLIC: UrlRefusal = {
  code: 'not_allowed',
  detail: 'The host of the URL must be known to the public DNS, with public addresses only.',
};

/**
 * Returns why a URL is refused; undefined if its text is good. Its host may still have addresses that are refused.
 * @param allows_private whether http and every host are accepted, outside production
 */
export function urlRefusal(text: string, { allows_private }: { allows_private: boolean }): UrlRefusal | undefined {
  const url = URL.parse(text);
  // The parser accepts `https:host` and backslashes, which other programs read differently, and leaves out line breaks.
  if (url === null || !/^https?:\/\/[^/\\][^\s\p{Cc}]*$/iu.test(text) || url.hostname === '' || url.port === '0')
    return MALFORMED;
  if (url.username !== '' || url.password !== '' || text.includes('#')) return EXTRA_PARTS;
  if (hostOf(url).length > HOST_MAX_CHARACTERS) return LONG_HOST;
  if (allows_private) return undefined;
  if (url.protocol !== 'https:') return NOT_HTTPS;
  return isPublicHost(hostOf(url)) ? undefined : NOT_PUBLIC;
}

/** Returns the host of a URL without the brackets of IPv6. */
export function hostOf({ hostname }: URL): string {
  return hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
}

/**
 * Whether a host, as WHATWG's URL parser has normalised it, may be public. The parser has turned every form of an IPv4 address, such as
 * `0x7f.1`, into four decimal parts.
 */
function isPublicHost(host: string): boolean {
  if (isAddress(host)) return isPublicAddress(host);
  // A name without a dot, or with one at its end, is one of the own network, or hides one of those below.
  if (!host.includes('.') || host.endsWith('.')) return false;
  return !SPECIAL_DOMAINS.some((domain) => host === domain || host.endsWith(`.${domain}`));
}
