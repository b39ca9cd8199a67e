import type { IncomingMessage } from 'node:http';
import ipaddr from 'ipaddr.js';
import proxyAddr from 'proxy-addr';

/** Whoever has one address of IPv6 has all of its /64 (RFC 6177): they count as one. */
const IPV6_SITE_BYTES = 8;

/**
 * Tells the address of a client: that of its connection or, where that is one of the proxies, the last one in
 * `X-Forwarded-For` that is none of them.
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

/** An address as it is written everywhere: one of IPv4 that came over an IPv6 socket as what it is. */
export function plainAddress(address = ''): string {
  return ipaddr.isValid(address) ? ipaddr.process(address).toString() : 'unknown';
}

/** One text for all addresses of one client: by it a client without a token is counted. */
export function siteOf(address: string): string {
  // The connection is gone already: such requests count together.
  if (!ipaddr.isValid(address)) return 'unknown';
  const parsed = ipaddr.process(address);
  if (parsed.kind() === 'ipv4') return parsed.toString();
  return `${Buffer.from(parsed.toByteArray().slice(0, IPV6_SITE_BYTES)).toString('hex')}::/64`;
}
