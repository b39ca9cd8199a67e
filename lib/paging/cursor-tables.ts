/** The statements that create the table with the key that signs list cursors, and the key. */
export const CURSOR_TABLES = [
  'CREATE TABLE cursor_keys (key bytea NOT NULL)',
  // gen_random_uuid() uses the server's strong random source. Two of them hold 244 random bits.
  `INSERT INTO cursor_keys VALUES (sha256(convert_to(gen_random_uuid()::text || gen_random_uuid()::text, 'UTF8')))`,
] as const;
