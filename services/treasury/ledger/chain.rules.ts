import { canonicalHash } from '../../../lib/canonical/canonical-hash.ts';
import type { TransferRecord } from '../../../lib/contracts/treasury.ts';

/** What the first transfer of a chain follows (contract, section 5). */
export const GENESIS_HASH = '0'.repeat(64);

/**
 * The hash of a transfer: SHA-256 (hex) of the RFC 8785 form of all its members but `hash` (contract, section 5).
 * Anything else that the object carries is left out.
 */
export function hashOf(transfer: Omit<TransferRecord, 'hash'>): string {
  const { id, seq, association_id, kind, currency, reference, posted_at, prev_hash } = transfer;
  const legs = transfer.legs.map(({ account, amount_minor }) => ({ account, amount_minor }));
  return canonicalHash({ id, seq, association_id, kind, legs, currency, reference, posted_at, prev_hash });
}
