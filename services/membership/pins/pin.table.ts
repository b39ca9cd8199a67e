import { bool, bytes, instant, integer, key, list, optional, table, text, uuid } from '../../../lib/db/table.ts';

export const pins = table('pins', {
  user_id: key(text()),
  salt: bytes(),
  /** From hashPin(). */
  hash: bytes(),
  /** From pepperCheck(), of the pepper of the hash; null if it was not recorded. */
  pepper: optional(bytes()),
  /** Wrong PINs since the last right one or the last lock. */
  failed_attempts: integer(),
  /** Locks since the last right PIN. */
  lock_count: integer(),
  locked_until: optional(instant()),
  set_at: instant(),
});

/** The ciphertexts that requests have sent. Each is accepted once. */
export const usedCiphertexts = table('used_ciphertexts', {
  digest: key(bytes()),
  user_id: text(),
  /** The key that decrypted it; null if none did. */
  kid: optional(text()),
  used_at: instant(),
  /** The request's Idempotency-Key and fingerprint, if it had one. */
  idempotency_key: optional(text()),
  fingerprint: optional(text()),
});

/** The running membership nodes, with the PIN keys of each. */
export const pinKeyNodes = table('pin_key_nodes', {
  id: key(uuid()),
  name: text(),
  kids: list(text()),
  seen_at: instant(),
});

/** The check value of the database's pepper, from pepperCheck(). The table has one row. */
export const pinPepper = table('pin_pepper', { only_row: key(bool()), check_value: bytes() });
