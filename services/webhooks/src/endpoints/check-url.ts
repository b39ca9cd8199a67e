import { invalid } from '@association-service/contracts';
import { NO_ADDRESSES, NOT_ALLOWED, publicAddresses } from '../addresses/public-lookup.ts';
import { isAddress } from '../addresses/address.rules.ts';
import { hostOf, NOT_PUBLIC, urlRefusal, type UrlRefusal } from '../addresses/url.rules.ts';
import type { Deps } from './deps.ts';

/** Less than a call may take. A name server that is slower does not refuse the URL. */
const RESOLVE_MAX_MS = 2_000;

const refuse = ({ code, detail }: UrlRefusal) => invalid({ pointer: '/url', code, detail });

/** @throws validation_failed for a URL whose text is not allowed */
export function requireGoodUrl({ allows_private }: Pick<Deps, 'allows_private'>, url: string): void {
  const refusal = urlRefusal(url, { allows_private });
  if (refusal !== undefined) throw refuse(refusal);
}

/**
 * Resolves the host of a URL. This is for the user's sake, as every connection is checked again: if the name servers do not answer,
 * the URL is accepted.
 * @throws validation_failed if the host does not exist, or has an address that is not public
 */
export async function requirePublicHost(
  { allows_private, resolver }: Pick<Deps, 'allows_private' | 'resolver'>,
  url: string,
): Promise<void> {
  const host = hostOf(new URL(url));
  if (allows_private || isAddress(host)) return;
  const late = Promise.withResolvers<undefined>();
  const timer = setTimeout(() => late.resolve(undefined), RESOLVE_MAX_MS);
  try {
    await Promise.race([publicAddresses(resolver, host), late.promise]);
  } catch (error) {
    const code = String((error as { code?: unknown }).code);
    if ([NOT_ALLOWED, NO_ADDRESSES].includes(code)) throw refuse(NOT_PUBLIC);
  } finally {
    clearTimeout(timer);
  }
}
