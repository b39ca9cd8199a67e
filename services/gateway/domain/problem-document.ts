import { ERRORS } from '../../../lib/errors/codes.ts';
import type { Language } from '../../../lib/language/languages.ts';
import type { Refusal } from './refusals.ts';

/** An answer that refuses, ready to be sent. */
export interface ProblemAnswer {
  status: number;
  headers: Record<string, string>;
  /** RFC 9457. */
  document: Record<string, unknown>;
}

/** What a problem document says beside the refusal itself. */
export interface Occurrence {
  /** The request's path, without its query; absent where it could not be read. */
  instance?: string;
  request_id: string;
  language: Language;
}

/** Away parts are back within seconds: the embedded servers restart in less. */
const UNAVAILABLE_RETRY_S = 1;

const REALM = 'Bearer realm="association-service"';

/** Writes a refusal as a problem document (RFC 9457). */
export function problemAnswer(
  { code, extras }: Refusal,
  { instance, request_id, language }: Occurrence,
): ProblemAnswer {
  const { status } = ERRORS[code];
  const { title, detail } = ERRORS[code][language];
  const where = instance === undefined ? {} : { instance };
  const members = { type: `/problems/${code}`, title, status, detail, ...where, code, request_id };
  const headers = { ...headersOf({ code, extras }, status), 'Content-Language': language, Vary: 'Accept-Language' };
  // The standard members come first and cannot be overridden.
  return { status, headers, document: { ...members, ...extras, ...members } };
}

function headersOf({ code, extras }: Refusal, status: number): Record<string, string> {
  const headers: Record<string, string> = {};
  if (status === 503) headers['Retry-After'] = String(UNAVAILABLE_RETRY_S);
  if (typeof extras.retry_after_s === 'number') headers['Retry-After'] = String(Math.ceil(extras.retry_after_s));
  if (code === 'method_not_allowed' && Array.isArray(extras.allowed_methods)) {
    headers.Allow = extras.allowed_methods.join(', ');
  }
  const challenge = challengeOf({ code, extras });
  if (challenge !== undefined) headers['WWW-Authenticate'] = challenge;
  return headers;
}

/** What a client's token lacks, in the words of RFC 6750, section 3: ASCII, so English. */
function challengeOf({ code, extras }: Refusal): string | undefined {
  const said = ERRORS[code].en.detail.replaceAll('"', "'");
  if (code === 'token_missing') return REALM;
  if (code === 'token_invalid' || code === 'token_expired') {
    return `${REALM}, error="invalid_token", error_description="${said}"`;
  }
  if (code !== 'insufficient_scope') return undefined;
  const scopes = Array.isArray(extras.required_scopes) ? extras.required_scopes.join(' ') : '';
  return `${REALM}, error="insufficient_scope", scope="${scopes}"`;
}
