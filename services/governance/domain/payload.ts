import { canonicalHash } from '../../../lib/canonical/canonical-hash.ts';

/** SHA-256 (hex) of the RFC 8785 form of a payload, by which a voter says what he has seen. */
export function payloadHash(payload: Record<string, unknown>): string {
  return canonicalHash(payload);
}
