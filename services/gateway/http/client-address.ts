import type { IncomingMessage } from 'node:http';
import ipaddr from 'ipaddr.js';
import proxyAddr from 'proxy-addr';

/** A site that has one address of IPv6 has all of its /64 (RFC 6177): they count as one. */
const IPV6_SITE_BYTES = 8;

/**
 * Finds the address of a client: that of its connection or, if that is a trusted proxy, the last one in
 * `X-Forwarded-For` that is not a trusted proxy.
 * @param proxies addresses and CIDR ranges
 */
export function clientAddresses(proxies: readonly string[]): (request: IncomingMessage) => string {
  const isTrusted = proxyAddr.compile([...proxies]);
  return (request) => {
    const found = proxyAddr(request, isTrusted);
    // What a proxy passes on need not be an address.
    return plainAddress(ipaddr.isValid(found) ? found : request.socket.remoteAddress);
  };
}

/** An address in its usual form: one of IPv4 that came over an IPv6 socket as IPv4. */
export function plainAddress(address = ''): string {
  return ipaddr.isValid(address) ? ipaddr.process(address).toString() : 'unknown';
}

/** One text for all addresses of a client: requests without a token are counted by it. */
export function siteOf(address: string): string {
  // The connection is gone already: such requests count together.
  if (!ipaddr.isValid(address)) return 'unknown';
  const parsed = ipaddr.process(address);
  if (parsed.kind() === 'ipv4') return parsed.toString();
  return `${Buffer.from(parsed.toByteArray().slice(0, IPV6_SITE_BYTES)).toString('hex')}::/64`;
}
