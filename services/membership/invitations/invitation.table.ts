/** Invitation codes: bearer secrets, of which only a hash is kept. */
import { createHash } from 'node:crypto';

/** 144 bits, 24 characters: nobody guesses one, however many there are. */
export const CODE_BYTES = 18;

const HOUR_MS = 3_600_000;

export interface InvitationRecord {
  id: string;
  association_id: string;
  code_hash: Buffer;
  created_by_member_id: string;
  max_uses: number;
  uses: number;
  expires_at: Date;
  created_at: Date;
}

/** What a code is found by. A fast hash is enough for what has 144 random bits. */
export function hashCode(code: string): Buffer {
  return createHash('sha256').update(code).digest();
}

export function expiryOf(created_at: Date, expires_in_hours: number): Date {
  return new Date(created_at.getTime() + expires_in_hours * HOUR_MS);
}
