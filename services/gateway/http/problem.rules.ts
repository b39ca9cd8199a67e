/** Translates errors for clients: the code of the problem, and the problem document (RFC 9457). */
import { errorEntry, type ErrorCode } from '../../../lib/errors/codes.ts';
import { callFailure, refusalIn } from '../../../lib/errors/problem.ts';
import type { FieldComplaint, ProblemExtras, Refusal } from '../../../lib/errors/problem.ts';
import type { Language } from '../../../lib/language/languages.ts';
import { complaintsAbout, translate, type Finding } from '../../../lib/schema/complaints.ts';

/** The request that failed, as far as the meaning of an error depends on it. */
export interface Asked {
  method: string | undefined;
  /** The input of the action, if it was called. */
  input?: { path: unknown; query: unknown; body: unknown } | undefined;
  /** The language of complaints about fields. The default is English. */
  language?: Language;
}

/** Methods that change nothing, so repeating them is always safe. */
const SAFE_METHODS = ['GET', 'HEAD', 'OPTIONS'];

/** Turns any error into a refusal. It discloses nothing about an unexpected error. */
export function refusalOf(error: unknown, asked: Asked): Refusal {
  const refused = refusalIn(error);
  if (refused !== undefined) return { code: refused.code, extras: translateExtras(refused.extras, asked) };
  const { type, retryable } = (error ?? {}) as { type?: unknown; retryable?: unknown };
  if (type === 'UNABLE_DECODE_PARAM') return refusal('not_found');
  if (type === 'VALIDATION_ERROR') return validationRefusal(error, asked) ?? refusal('internal_error');
  if (callFailure(error) === 'not_run') return refusal('service_unavailable');
  // Moleculer marks failures between services as retryable, such as a timeout or a lost node.
  if (retryable === true) {
    const isSafe = asked.method === undefined || SAFE_METHODS.includes(asked.method);
    return refusal(isSafe ? 'service_unavailable' : 'outcome_unknown');
  }
  return refusal('internal_error');
}

function refusal(code: ErrorCode, extras: ProblemExtras = {}): Refusal {
  return { code, extras };
}

/** Services write complaints about fields in English, so they are translated here. */
function translateExtras(extras: ProblemExtras, { language = 'en' }: Asked): ProblemExtras {
  if (!Array.isArray(extras.errors)) return extras;
  return { ...extras, errors: (extras.errors as FieldComplaint[]).map((each) => translate(each, language)) };
}

/**
 * Turns the findings of the validator into complaints about the client's request. Returns undefined if they are about a
 * call between services, which is a programming error.
 */
function validationRefusal(error: unknown, { input, language }: Asked): Refusal | undefined {
  const { data } = error as { data?: unknown };
  const findings = Array.isArray(data) ? (data as Finding[]) : [];
  // Every public action is called with `path`, `query` and `body`, and fields have names such as
  // `body.rules.shortfall`.
  const parts = findings.map(({ field = '' }) => field.split(/[.[]/, 1)[0] ?? '');
  const isOfRequest = parts.every((part) => ['path', 'query', 'body'].includes(part));
  if (findings.length === 0 || input === undefined || !isOfRequest) return undefined;
  // A malformed id in a path is answered like an unknown one.
  if (parts.includes('path')) return refusal('not_found');
  const errors = complaintsAbout(findings, input, '', language).map((each) => ({ ...each, pointer: nameOf(each) }));
  return refusal('validation_failed', { errors });
}

/** Names a field as clients know it: by a pointer into the body, or by the name of the query parameter. */
function nameOf({ pointer }: FieldComplaint): string {
  if (pointer.startsWith('/body')) return pointer.slice('/body'.length);
  return pointer.slice('/query/'.length).replaceAll('~1', '/').replaceAll('~0', '~');
}

/** The HTTP answer of a refusal. */
export interface ProblemAnswer {
  status: number;
  headers: Record<string, string>;
  /** The problem document (RFC 9457). */
  document: Record<string, unknown>;
}

/** The members of a problem document that the refusal does not contain. */
export interface Occurrence {
  /** The path of the request without its query; absent if it could not be read. */
  instance?: string;
  request_id: string;
  language: Language;
}

/** Outages usually last only a few seconds: the embedded servers restart in that time. */
const UNAVAILABLE_RETRY_S = 1;

const REALM = 'Bearer realm="association-service"';

/** Writes a refusal as a problem document (RFC 9457). */
export function problemAnswer(
  { code, extras }: Refusal,
  { instance, request_id, language }: Occurrence,
): ProblemAnswer {
  const { status } = errorEntry(code);
  const { title, detail } = errorEntry(code)[language];
  const where = instance === undefined ? {} : { instance };
  const members = { type: `/problems/${code}`, title, status, detail, ...where, code, request_id };
  const headers = { ...headersOf({ code, extras }, status), 'Content-Language': language, Vary: 'Accept-Language' };
  // The standard members come first, and extras cannot override them.
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

/**
 * Returns the `WWW-Authenticate` challenge of a refusal (RFC 6750, section 3). A header is ASCII, so its text is
 * English.
 */
function challengeOf({ code, extras }: Refusal): string | undefined {
  const description = errorEntry(code).en.detail.replaceAll('"', "'");
  if (code === 'token_missing') return REALM;
  if (code === 'token_invalid' || code === 'token_expired') {
    return `${REALM}, error="invalid_token", error_description="${description}"`;
  }
  if (code !== 'insufficient_scope') return undefined;
  const scopes = Array.isArray(extras.required_scopes) ? extras.required_scopes.join(' ') : '';
  return `${REALM}, error="insufficient_scope", scope="${scopes}"`;
}
