import { invalid } from '../../../lib/errors/problem.ts';
import type { Fields } from '../../../lib/schema/fields.ts';

/** Contract, section 1: 1 to 255 visible ASCII characters. */
const IDEMPOTENCY_KEY = /^[\x21-\x7e]{1,255}$/;

/**
 * The `Idempotency-Key` of a write.
 * @param values of every header of that name
 * @throws validation_failed for an ill-formed key, or for several: nobody could say which one counts
 */
export function idempotencyKey(values: readonly string[] | undefined): string | undefined {
  if (values === undefined || values.length === 0) return undefined;
  const [key = ''] = values;
  if (values.length > 1 || !IDEMPOTENCY_KEY.test(key)) {
    const detail = 'Send one key of 1 to 255 visible ASCII characters.';
    throw invalid({ pointer: 'Idempotency-Key', code: 'malformed', detail });
  }
  return key;
}

/**
 * The path that a key stands for: the same text for the same resource, in whatever letter case or percent-encoding it
 * was asked for, without query and trailing slash.
 * @param pattern the route's path
 */
export function resourcePath(pattern: string, parameters: Record<string, string>, fields: Fields): string {
  return pattern.replace(/:(\w+)/g, (_segment, name: string) => {
    const value = parameters[name] ?? '';
    const kind = fields[name]?.spec.kind;
    return encodeURIComponent(kind === 'id' ? value.toLowerCase() : kind === 'text' ? value.trim() : value);
  });
}
