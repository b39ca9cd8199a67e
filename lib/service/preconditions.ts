/**
 * `If-Match` (RFC 9110, section 13.1.1): a write takes effect only if the resource is still as the client has read it, so that
 * it overwrites no change that the client has not seen.
 */
import etag from 'etag';
import { problem, problemCode } from '../errors/problem.ts';
import type { CallContext } from './call-context.ts';

/** Returns the `ETag` of an answer: a strong tag of its JSON, which is the same in every process. */
export function entityTag(json: string | Buffer): string {
  return etag(json);
}

/**
 * Compares the request's `If-Match`, if it has one, with the state of the resource. Call it after the check of the role and,
 * as the state may change until then, under the lock with which the write changes it.
 * @param current returns what GET of the resource answers this caller; undefined if there is no such resource
 * @throws precondition_failed
 */
export async function requireUnchanged(
  { meta: { if_match } }: Pick<CallContext, 'meta'>,
  current: () => unknown,
): Promise<void> {
  if (if_match === undefined) return;
  const state = await current();
  const isMatch = state !== undefined && (if_match === '*' || if_match.includes(entityTag(JSON.stringify(state))));
  if (!isMatch) throw problem('precondition_failed');
}

/**
 * For a write that replaces a resource: without `If-Match` it would overwrite changes that the client has not seen.
 * @throws precondition_required
 */
export function requireIfMatch({ meta }: Pick<CallContext, 'meta'>): void {
  if (meta.if_match === undefined) throw problem('precondition_required');
}

/**
 * Waits for an authorization by membership, which knows the state of the association but not that of the resource. A failed
 * precondition is refused before a closed association.
 * @param check calls requireUnchanged()
 * @throws precondition_failed instead of association_closed; any other refusal of the authorization
 */
export async function preferPreconditionFailed<T>(authorization: Promise<T>, check: () => Promise<void>): Promise<T> {
  try {
    return await authorization;
  } catch (error) {
    if (problemCode(error) === 'association_closed') await check();
    throw error;
  }
}
