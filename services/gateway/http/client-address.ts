import type { IncomingMessage } from 'node:http';
import ipaddr from 'ipaddr.js';
import proxyAddr from 'proxy-addr';

/** A client with one IPv6 address usually has its whole /64 (RFC 6177), so a /64 counts as one client. */
const IPV6_SITE_BYTES = 8;

/**
 * Returns a function that finds the address of a client: the address of the connection or, if that is a trusted proxy,
 * the last address in `X-Forwarded-For` that is not a trusted proxy.
 * @param proxies addresses and CIDR ranges
 */
export function clientAddresses(proxies: readonly string[]): (request: IncomingMessage) => string {
  const isTrusted = proxyAddr.compile([...proxies]);
  return (request) => {
    const found = proxyAddr(request, isTrusted);
    // A proxy may pass on text that is not an address.
    return plainAddress(ipaddr.isValid(found) ? found : request.socket.remoteAddress);
  };
}

/** Returns an address in its usual form. An IPv4 address that came over an IPv6 socket is returned as IPv4. */
export function plainAddress(address = ''): string {
  return ipaddr.isValid(address) ? ipaddr.process(address).toString() : 'unknown';
}

/** Returns the key by which requests without a token are counted: an IPv4 address or an IPv6 /64. */
export function siteOf(address: string): string {
  // A closed connection has no address. Such requests are counted together.
  if (!ipaddr.isValid(address)) return 'unknown';
  const parsed = ipaddr.process(address);
  if (parsed.kind() === 'ipv4') return parsed.toString();
  return `${Buffer.from(parsed.toByteArray().slice(0, IPV6_SITE_BYTES)).toString('hex')}::/64`;
}
