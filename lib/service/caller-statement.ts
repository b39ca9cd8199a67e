/** The form of a signed statement of who calls (ADR 29). Only the gateway makes them. */
import { createHmac, timingSafeEqual, type KeyObject } from 'node:crypto';
import type { Caller } from '../contracts/action.ts';

/** The user of a request, and what they have asked for. */
export interface CallerStatement extends Caller {
  /** The public action that the request calls. */
  action: string;
  /** The id for what the request creates; a new one for each request. */
  operation_id: string;
  issued_at_ms: number;
}

/** The length of an HMAC-SHA-256 in base64url. */
const MAC_LENGTH = 43;

/**
 * Returns the signed statement: the HMAC, and the JSON that it signs.
 * @param key the key of the service that receives it
 */
export function signStatement(key: KeyObject, statement: CallerStatement): string {
  const text = JSON.stringify(statement);
  return macOf(key, text) + text;
}

/**
 * Returns the statement of a text that one of the keys has signed; undefined for any other text.
 * @param keys of the service that received it: during a rotation there are two
 */
export function readStatement(keys: readonly KeyObject[], signed: unknown): CallerStatement | undefined {
  if (typeof signed !== 'string') return undefined;
  const text = signed.slice(MAC_LENGTH);
  const mac = Buffer.from(signed.slice(0, MAC_LENGTH));
  const isSigned = keys.some((key) => {
    const expected = Buffer.from(macOf(key, text));
    return expected.length === mac.length && timingSafeEqual(expected, mac);
  });
  return isSigned ? (JSON.parse(text) as CallerStatement) : undefined;
}

function macOf(key: KeyObject, text: string): string {
  return createHmac('sha256', key).update(text).digest('base64url');
}
