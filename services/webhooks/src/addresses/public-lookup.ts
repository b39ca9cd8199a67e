/** Resolves the host of a connection, and refuses it unless all of its addresses are public. */
import { promises as dns } from 'node:dns';
import type { LookupAddress } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { isPublicAddress } from './address.rules.ts';

/** A name server that does not answer must not use up the time for the whole request. */
const QUERY_TIMEOUT_MS = 2_000;
const QUERY_TRIES = 2;

/** The part of Node's resolver that is needed, which tests replace. */
export interface Resolver {
  resolve4(host: string): Promise<string[]>;
  resolve6(host: string): Promise<string[]>;
}

/**
 * Returns a resolver that asks the name servers. Not `dns.lookup()`: it uses the few threads of the process, so that four names
 * whose servers do not answer would stop all others, and it also reads /etc/hosts.
 */
export function publicResolver(): Resolver {
  return new dns.Resolver({ timeout: QUERY_TIMEOUT_MS, tries: QUERY_TRIES });
}

/** The `code` of the error for a host with an address that is not public. */
export const NOT_ALLOWED = 'ERR_ADDRESS_NOT_ALLOWED';
/** The `code` of the error for a name that has no addresses. */
export const NO_ADDRESSES = 'ENOTFOUND';

/** What a name server says of a name without addresses. Any other error means that it could not answer. */
const NO_SUCH_NAME = [NO_ADDRESSES, 'ENODATA'];

/**
 * Returns the addresses of a name, those of IPv4 first.
 * @throws an error whose code is NOT_ALLOWED, NO_ADDRESSES, or that of the resolver
 */
export async function publicAddresses(resolver: Resolver, host: string): Promise<LookupAddress[]> {
  const answers = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
  const addresses = answers.flatMap((answer, index) =>
    answer.status === 'rejected' ? [] : answer.value.map((address) => ({ address, family: index === 0 ? 4 : 6 })),
  );
  if (!addresses.every(({ address }) => isPublicAddress(address))) throw coded(NOT_ALLOWED);
  if (addresses.length > 0) return addresses;
  const reasons = answers.flatMap((answer) => (answer.status === 'rejected' ? [codeOf(answer.reason)] : []));
  throw coded(reasons.find((code) => !NO_SUCH_NAME.includes(code)) ?? NO_ADDRESSES);
}

/**
 * Returns the `lookup` of a connection: it connects to the very addresses that were checked, without resolving the name again. An
 * address in a URL is not looked up, so urlRefusal() must have accepted the URL.
 */
export function publicLookup(resolver: Resolver): LookupFunction {
  return (host, { all }, callback) => {
    publicAddresses(resolver, host).then(
      (addresses) => {
        const [first] = addresses;
        if (all === true) callback(null, addresses);
        else callback(null, first?.address ?? '', first?.family);
      },
      (error: unknown) => callback(error as NodeJS.ErrnoException, ''),
    );
  };
}

function coded(code: string): Error {
  return Object.assign(new Error(code), { code });
}

function codeOf(error: unknown): string {
  return String((error as { code?: unknown } | null)?.code);
}
