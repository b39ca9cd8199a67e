import { hash } from 'node:crypto';
import canonicalize from 'canonicalize';

/**
 * SHA-256 (hex) of a value's RFC 8785 form.
 * @throws TypeError for what is no JSON value
 */
export function canonicalHash(value: object): string {
  const text = canonicalize(value);
  if (text === undefined) throw new TypeError('No JSON value');
  return hash('sha256', text, 'hex');
}
