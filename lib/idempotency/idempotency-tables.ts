/** The statements that create the table of a service's claimed idempotency keys. */
export const IDEMPOTENCY_TABLES = [
  `
    CREATE TABLE idempotency_keys (
      user_id text NOT NULL,
      key text NOT NULL,
      -- SHA-256 (hex) of the request: method, path and body without PINs.
      fingerprint text NOT NULL,
      -- The id of the effect: the same for every repeat of the request.
      operation_id uuid NOT NULL,
      -- Until then, the request counts as running; null once it has ended without an answer to keep.
      held_until timestamptz,
      claimed_at timestamptz NOT NULL,
      -- The first answer; null until there is one.
      answer json,
      PRIMARY KEY (user_id, key)
    )`,
  'CREATE INDEX idempotency_keys_by_age ON idempotency_keys (claimed_at)',
] as const;
