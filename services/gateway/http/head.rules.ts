/** Parses the target and the headers of a request. They are untrusted input. */
import Negotiator from 'negotiator';
import { invalid } from '../../../lib/errors/problem.ts';
import { LANGUAGES, type Language } from '../../../lib/language/languages.ts';
import type { Fields } from '../../../lib/schema/fields.ts';

/** Scheme and authority of a target in absolute form (RFC 9112, section 3.2.2). */
const ABSOLUTE_FORM = /^https?:\/\/[^/?#]*/i;

/** Returns the target in origin form. A server must accept both forms, and this one serves a single host. */
export function originForm(target = '/'): string {
  if (!ABSOLUTE_FORM.test(target)) return target;
  const rest = target.replace(ABSOLUTE_FORM, '');
  return rest.startsWith('/') ? rest : `/${rest}`;
}

/** Returns the query parameters by name. A parameter that is given twice becomes a list, which no contract accepts. */
export function readQuery(search: string): Record<string, string | string[]> {
  const groups = Map.groupBy(new URLSearchParams(search), ([name]) => name);
  const entries = [...groups].map(([name, pairs]): [string, string | string[]] => {
    const [first = '', ...more] = pairs.map(([, value]) => value);
    return [name, more.length === 0 ? first : [first, ...more]];
  });
  // Object.fromEntries() creates an own property even for `__proto__`.
  return Object.fromEntries(entries);
}

/**
 * Returns the supported language that an `Accept-Language` header prefers; English if it prefers none (RFC 9110,
 * section 12.5.4).
 */
export function preferredLanguage(acceptLanguage: string | undefined): Language {
  // Without the header all languages are equally good, and the first of LANGUAGES is used.
  const headers = acceptLanguage === undefined ? {} : { 'accept-language': acceptLanguage };
  return (new Negotiator({ headers }).language([...LANGUAGES]) as Language | undefined) ?? LANGUAGES[0];
}

/** At most 128 visible ASCII characters: enough for every id format in use, safe in a header and in a log line. */
const REQUEST_ID = /^[\x21-\x7e]{1,128}$/;

/** Returns the request id that the client sent, or undefined if it cannot be echoed. */
export function validRequestId(header: string | string[] | undefined): string | undefined {
  return typeof header === 'string' && REQUEST_ID.test(header) ? header : undefined;
}

/** 1 to 255 visible ASCII characters, as the API documents it. */
const IDEMPOTENCY_KEY = /^[\x21-\x7e]{1,255}$/;

/**
 * Returns the `Idempotency-Key` of a write, or undefined if there is none.
 * @param values the values of all headers of that name
 * @throws validation_failed for a malformed key, and for more than one header
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

/** An entity tag (RFC 9110, section 8.8.3). It may contain commas. */
const ENTITY_TAG = String.raw`(?:W/)?"[\x21\x23-\x7e\x80-\xff]*"`;

/** A list of tags, in which elements may be empty. */
const ENTITY_TAGS = new RegExp(String.raw`^[\t ,]*${ENTITY_TAG}(?:[\t ]*,[\t ,]*${ENTITY_TAG})*[\t ,]*$`);

/**
 * Returns the tags of an `If-Match`, or undefined if there is none.
 * @param header the values of all headers of that name, joined with commas
 * @throws validation_failed for a malformed header
 */
export function ifMatch(header: string | undefined): '*' | string[] | undefined {
  if (header === undefined) return undefined;
  if (header.trim() === '*') return '*';
  if (!ENTITY_TAGS.test(header)) {
    const detail = 'Send the `ETag` of the resource, a list of such tags, or `*`.';
    throw invalid({ pointer: 'If-Match', code: 'malformed', detail });
  }
  return header.match(new RegExp(ENTITY_TAG, 'g')) ?? [];
}

/**
 * Returns the path that an Idempotency-Key is bound to: the same text for the same resource, regardless of letter case
 * and percent-encoding, without query and trailing slash.
 * @param pattern the path of the route
 */
export function resourcePath(pattern: string, parameters: Record<string, string>, fields: Fields): string {
  return pattern.replace(/:(\w+)/g, (_segment, name: string) => {
    const value = parameters[name] ?? '';
    const kind = fields[name]?.spec.kind;
    return encodeURIComponent(kind === 'id' ? value.toLowerCase() : kind === 'text' ? value.trim() : value);
  });
}
