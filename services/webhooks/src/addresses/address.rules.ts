/** Which addresses a request to an endpoint may go to: only those of the public Internet. */
import ipaddr from 'ipaddr.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;
type Range = readonly [cidr: string, use: string];

/**
 * What IANA's registry of IPv4 addresses for special purposes reserves, and addresses that are public but inside networks of clouds.
 * Written out here, as ipaddr.js has no range for some of them.
 */
const DENIED_IPV4: readonly Range[] = [
  ['0.0.0.0/8', 'this network'],
  ['10.0.0.0/8', 'private'],
  ['100.64.0.0/10', 'shared by the customers of a provider, and metadata of Alibaba Cloud'],
  ['127.0.0.0/8', 'loopback'],
  ['161.26.0.0/16', 'services of IBM Cloud, reachable from its machines only'],
  ['166.8.0.0/14', 'services of IBM Cloud, reachable from its machines only'],
  ['168.63.129.16/32', 'the platform of Azure, reachable from its machines only'],
  ['169.254.0.0/16', 'link-local, and metadata of most clouds'],
  ['172.16.0.0/12', 'private'],
  ['192.0.0.0/24', 'IETF protocol assignments, and metadata of Oracle Cloud'],
  ['192.0.2.0/24', 'documentation'],
  ['192.31.196.0/24', 'AS112'],
  ['192.52.193.0/24', 'automatic multicast tunnelling'],
  ['192.88.99.0/24', '6to4 relays'],
  ['192.168.0.0/16', 'private'],
  ['192.175.48.0/24', 'AS112'],
  ['198.18.0.0/15', 'benchmarks'],
  ['198.51.100.0/24', 'documentation'],
  ['203.0.113.0/24', 'documentation'],
  ['224.0.0.0/4', 'multicast'],
  ['240.0.0.0/4', 'reserved, and broadcast'],
];

/**
 * The only part of IPv6 that is given to the public Internet. All else is denied without a list: loopback, unspecified, mapped and
 * compatible IPv4, NAT64, unique local, link-local, site-local, multicast, discard, segment routing.
 */
const PUBLIC_IPV6 = ipaddr.parseCIDR('2000::/3');

/** What is reserved inside PUBLIC_IPV6, among it tunnels whose addresses contain one of IPv4. */
const DENIED_IPV6: readonly Range[] = [
  ['2001::/23', 'IETF protocol assignments: Teredo, benchmarks, ORCHID'],
  ['2001:db8::/32', 'documentation'],
  ['2002::/16', '6to4'],
  ['2620:4f:8000::/48', 'AS112'],
  ['3fff::/20', 'documentation'],
];

const parsed = (ranges: readonly Range[]) => ranges.map(([cidr]) => ipaddr.parseCIDR(cidr));
const DENIED = { ipv4: parsed(DENIED_IPV4), ipv6: parsed(DENIED_IPV6) };

/** Whether a text is an IP address as URL and DNS write it: four decimal parts, or IPv6 without brackets. */
export function isAddress(text: string): boolean {
  return ipaddr.IPv4.isValidFourPartDecimal(text) || ipaddr.IPv6.isValid(text);
}

/** Whether an address is one of the public Internet. What cannot be read is not, and neither is one with a zone (`%eth0`). */
export function isPublicAddress(text: string): boolean {
  if (!isAddress(text) || text.includes('%')) return false;
  const address: Address = ipaddr.parse(text);
  if (address.kind() === 'ipv6' && !address.match(PUBLIC_IPV6)) return false;
  return !DENIED[address.kind()].some((range) => address.match(range));
}
