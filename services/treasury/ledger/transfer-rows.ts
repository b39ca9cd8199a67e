import type { Leg, TransferKind, TransferRecord } from '../../../lib/contracts/treasury.ts';
import type { Known } from './decide.rules.ts';
import type { Refusal } from './posting.rules.ts';

/** A row of `transfers`, as the columns below are read. */
export interface TransferRow {
  id: string;
  seq: bigint | null;
  association_id: string | null;
  kind: TransferKind;
  legs: Leg[];
  currency: string;
  reference: string | null;
  posted_at: Date;
  prev_hash: string | null;
  hash: string | null;
  refusal: Refusal | null;
  fingerprint: string;
}

export const KNOWN_COLUMNS = `id, seq, association_id, kind, legs, currency, reference, posted_at, prev_hash, hash,
  refusal, encode(request_hash, 'hex') AS fingerprint`;

/** The outcome that a row stores. */
export function knownOf(row: TransferRow): Known {
  const { fingerprint, refusal } = row;
  if (refusal !== null) return { fingerprint, outcome: { status: 'refused', refusal } };
  return { fingerprint, outcome: { status: 'posted', transfer: recordOf(row) } };
}

/** A posted transfer's row, exactly as it was hashed. */
export function recordOf(row: Omit<TransferRow, 'fingerprint' | 'refusal'>): TransferRecord {
  const { id, association_id, kind, legs, currency, reference } = row;
  return {
    id,
    seq: Number(row.seq),
    association_id,
    kind,
    legs,
    currency,
    reference,
    posted_at: row.posted_at.toISOString(),
    prev_hash: row.prev_hash ?? '',
    hash: row.hash ?? '',
  };
}
