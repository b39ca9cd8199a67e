import type { IncomingMessage } from 'node:http';
import { isIPv4 } from 'node:net';
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
  // A proxy may pass on text that is not an address.
  return (request) => canonical(proxyAddr(request, isTrusted)) ?? plainAddress(request.socket.remoteAddress);
}

/**
 * Returns an address in its usual form. An IPv4 address that came over an IPv6 socket is returned as IPv4. A closed
 * connection has no address: it is 'unknown'.
 */
export function plainAddress(address: string | undefined): string {
  return canonical(address) ?? 'unknown';
}

/** Returns the key by which requests without a token are counted: an IPv4 address, an IPv6 /64 or 'unknown'. */
export function siteOf(address: string): string {
  const plain = plainAddress(address);
  if (!ipaddr.IPv6.isValid(plain)) return plain;
  return `${Buffer.from(ipaddr.parse(plain).toByteArray().slice(0, IPV6_SITE_BYTES)).toString('hex')}::/64`;
}

function canonical(text = ''): string | undefined {
  // The parser accepts other forms of IPv4, such as 0x7f.1; Node's isIPv6() accepts zones that it throws for, such as %eth-0.
  if (!isIPv4(text) && !ipaddr.IPv6.isValid(text)) return undefined;
  // A new text also for IPv4: a part of a header, which is kept as a key, would keep the whole header.
  return ipaddr.process(text).toString();
}
