/** What selectors and network policies of deploy/kubernetes permit. */
import { randomBytes } from 'node:crypto';
import ipaddr from 'ipaddr.js';
import { ofKind, type Resource } from './manifests.ts';

export type Labels = Record<string, string>;

export interface Selector {
  matchLabels?: Labels;
  matchExpressions?: { key: string; values: string[] }[];
}

export function selects({ matchLabels = {}, matchExpressions = [] }: Selector, labels: Labels): boolean {
  return (
    Object.entries(matchLabels).every(([key, value]) => labels[key] === value) &&
    matchExpressions.every(({ key, values }) => values.includes(labels[key] ?? ''))
  );
}

/** Addresses to which a pod may connect. */
export interface Block {
  cidr: string;
  except?: string[];
}

interface Policy {
  podSelector: Selector;
  ingress?: { from?: { podSelector?: Selector }[] }[];
  egress?: { to?: { ipBlock?: Block }[]; ports?: { port: number }[] }[];
}

/** Returns the components that a policy selects by name; none if there is no such policy. */
export function podsOf(resources: readonly Resource[], policy: string): string[] {
  return policyNamed(resources, policy).flatMap(({ podSelector }) => componentsIn(podSelector));
}

/** Returns the components that a policy lets connect to its pods, for each of its rules; none if there is no such policy. */
export function callersOf(resources: readonly Resource[], policy: string): string[][] {
  return policyNamed(resources, policy).flatMap(({ ingress = [] }) =>
    ingress.map(({ from = [] }) => from.flatMap(({ podSelector }) => componentsIn(podSelector ?? {}))),
  );
}

function policyNamed(resources: readonly Resource[], name: string): Policy[] {
  const found = ofKind(resources, 'NetworkPolicy').filter(({ metadata }) => metadata.name === name);
  return found.map(({ spec }) => spec as Policy);
}

function componentsIn({ matchExpressions = [] }: Selector): string[] {
  return matchExpressions.flatMap(({ values }) => values);
}

/** Returns what the policies let the pods of a component connect to: in each rule these ports, of these addresses if it names some. */
export function egressOf(resources: readonly Resource[], component: string): { ports: number[]; blocks: Block[] }[] {
  const labels = { 'app.kubernetes.io/name': 'association-service', 'app.kubernetes.io/component': component };
  return ofKind(resources, 'NetworkPolicy')
    .map(({ spec }) => spec as Policy)
    .filter(({ podSelector }) => selects(podSelector, labels))
    .flatMap(({ egress = [] }) => egress)
    .map(({ to = [], ports = [] }) => ({
      ports: ports.map(({ port }) => port),
      blocks: to.flatMap(({ ipBlock }) => ipBlock ?? []),
    }));
}

/** Whether a pod may connect to the address, if a policy has these blocks. */
export function isOpenTo(blocks: readonly Block[], address: string): boolean {
  const isIn = (cidr: string): boolean => {
    const [range, bits] = ipaddr.parseCIDR(cidr);
    const parsed = ipaddr.parse(address);
    return range.kind() === parsed.kind() && parsed.match(range, bits);
  };
  return blocks.some(({ cidr, except = [] }) => isIn(cidr) && !except.some(isIn));
}

const RANDOM_ADDRESSES = 1_000;

/** Returns the addresses at both ends of each range, those beside them, and others by chance. */
export function addressesAround(blocks: readonly Block[]): string[] {
  const ends = blocks
    .flatMap(({ cidr, except = [] }) => [cidr, ...except])
    .flatMap((cidr) => {
      const [range, bits] = ipaddr.parseCIDR(cidr);
      const bytes = range.toByteArray();
      const first = BigInt(`0x${Buffer.from(bytes).toString('hex')}`);
      const size = 1n << BigInt(bytes.length * 8 - bits);
      const around = [first - 1n, first, first + size - 1n, first + size];
      return around.flatMap((value) => addressOf(value, bytes.length) ?? []);
    });
  const random = Array.from({ length: RANDOM_ADDRESSES }, (_, index) =>
    ipaddr.fromByteArray([...randomBytes(index % 2 === 0 ? 4 : 16)]).toString(),
  );
  return [...ends, ...random];
}

/** Returns the address with this number; undefined if there is none of this length. */
function addressOf(value: bigint, bytes: number): string | undefined {
  if (value < 0n || value >= 1n << BigInt(bytes * 8)) return undefined;
  const digits = value.toString(16).padStart(bytes * 2, '0');
  return ipaddr.fromByteArray([...Buffer.from(digits, 'hex')]).toString();
}
