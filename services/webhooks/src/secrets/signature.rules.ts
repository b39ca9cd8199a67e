/** Signatures of the Standard Webhooks specification 1.0. */
import { createHmac } from 'node:crypto';

/** As long as the output of SHA-256: a longer key adds nothing. */
export const SECRET_BYTES = 32;

const SECRET_PREFIX = 'whsec_';

/** Writes a secret as users see it. */
export function writeSecret(key: Buffer): string {
  return SECRET_PREFIX + key.toString('base64');
}

/** Reads the key of a written secret. */
export function keyOf(secret: string): Buffer {
  return Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64');
}

/**
 * Returns the headers that identify, date and sign a message.
 * @param id the same in all attempts, by which receivers recognise a repeat
 * @param secrets the newest first; each signs
 */
export function signedHeaders(
  id: string,
  now: Date,
  body: string,
  secrets: readonly string[],
): Record<'webhook-id' | 'webhook-timestamp' | 'webhook-signature', string> {
  const timestamp = String(Math.floor(now.getTime() / 1_000));
  const sign = (secret: string) =>
    createHmac('sha256', keyOf(secret)).update(`${id}.${timestamp}.${body}`).digest('base64');
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': secrets.map((secret) => `v1,${sign(secret)}`).join(' '),
  };
}
