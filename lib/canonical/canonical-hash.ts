import { hash } from 'node:crypto';
import canonicalize from 'canonicalize';

/**
 * Returns the SHA-256 (hex) of a value's RFC 8785 form.
 * @throws TypeError for a value that JSON cannot express
 */
export function canonicalHash(value: object): string {
  const text = canonicalize(value);
  if (text === undefined) throw new TypeError('Not a JSON value');
  return hash('sha256', text, 'hex');
}
