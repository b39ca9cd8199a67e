/** What the head of a request says: its target and its headers. Everything in it may be hostile. */
import Negotiator from 'negotiator';
import { invalid } from '../../../lib/errors/problem.ts';
import { LANGUAGES, type Language } from '../../../lib/language/languages.ts';
import type { Fields } from '../../../lib/schema/fields.ts';

/** Scheme and authority of a target in absolute form (RFC 9112, section 3.2.2). */
const ABSOLUTE_FORM = /^https?:\/\/[^/?#]*/i;

/** The target in origin form: each server must take both forms, and there is one host here. */
export function originForm(target = '/'): string {
  if (!ABSOLUTE_FORM.test(target)) return target;
  const rest = target.replace(ABSOLUTE_FORM, '');
  return rest.startsWith('/') ? rest : `/${rest}`;
}

/** Query parameters by name. One that is given twice becomes a list, which no parameter takes. */
export function readQuery(search: string): Record<string, string | string[]> {
  const groups = Map.groupBy(new URLSearchParams(search), ([name]) => name);
  const entries = [...groups].map(([name, pairs]): [string, string | string[]] => {
    const [first = '', ...more] = pairs.map(([, value]) => value);
    return [name, more.length === 0 ? first : [first, ...more]];
  });
  // fromEntries() makes an own member of `__proto__` too.
  return Object.fromEntries(entries);
}

/** Which of our languages an `Accept-Language` header prefers; English where it prefers none (RFC 9110, 12.5.4). */
export function preferredLanguage(acceptLanguage: string | undefined): Language {
  // Without a header every language is as good as any: the first of LANGUAGES is taken.
  const headers = acceptLanguage === undefined ? {} : { 'accept-language': acceptLanguage };
  return (new Negotiator({ headers }).language([...LANGUAGES]) as Language | undefined) ?? LANGUAGES[0];
}

/** At most 128 visible ASCII characters: enough for every id format in use, safe in a header and in a log line. */
const REQUEST_ID = /^[\x21-\x7e]{1,128}$/;

/** The request id that the client sent, if it is fit to be echoed. */
export function validRequestId(header: string | string[] | undefined): string | undefined {
  return typeof header === 'string' && REQUEST_ID.test(header) ? header : undefined;
}

/** Contract, section 1: 1 to 255 visible ASCII characters. */
const IDEMPOTENCY_KEY = /^[\x21-\x7e]{1,255}$/;

/**
 * The `Idempotency-Key` of a write.
 * @param values of every header of that name
 * @throws validation_failed for an ill-formed key, and for several, of which none can be preferred
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
 * The path that an Idempotency-Key is bound to: the same text for the same resource, in whatever letter case or
 * percent-encoding it was asked for, without query and trailing slash.
 * @param pattern the route's path
 */
export function resourcePath(pattern: string, parameters: Record<string, string>, fields: Fields): string {
  return pattern.replace(/:(\w+)/g, (_segment, name: string) => {
    const value = parameters[name] ?? '';
    const kind = fields[name]?.spec.kind;
    return encodeURIComponent(kind === 'id' ? value.toLowerCase() : kind === 'text' ? value.trim() : value);
  });
}
