import type { ErrorCode } from '../../../lib/errors/codes.ts';
import { callFailure, problemCode, problemExtras } from '../../../lib/errors/problem.ts';
import type { FieldComplaint, ProblemExtras } from '../../../lib/errors/problem.ts';
import type { Language } from '../../../lib/language/languages.ts';
import { complaintsAbout, translate } from '../../../lib/schema/complaints.ts';
import type { Finding } from '../../../lib/schema/complaints.ts';

/** What a client is told of an error. */
export interface Refusal {
  code: ErrorCode;
  extras: ProblemExtras;
}

/** The request as far as an error's meaning depends on it. */
export interface Asked {
  method: string | undefined;
  /** What the action was called with, if it came so far. */
  input?: { path: unknown; query: unknown; body: unknown } | undefined;
  /** In which to name what is wrong with fields; English if absent. */
  language?: Language;
}

/** Methods that change nothing: asking again is always safe. */
const SAFE_METHODS = ['GET', 'HEAD', 'OPTIONS'];

/** Reads any error: a refusal as it is, the rest as what it means for the caller. Nothing of an unknown error shows. */
export function refusalOf(error: unknown, asked: Asked): Refusal {
  const code = problemCode(error);
  if (code !== undefined) return { code, extras: rewordedExtras(problemExtras(error), asked) };
  const { type, retryable } = (error ?? {}) as { type?: unknown; retryable?: unknown };
  if (type === 'UNABLE_DECODE_PARAM') return refusal('not_found');
  if (type === 'VALIDATION_ERROR') return validationRefusal(error, asked) ?? refusal('internal_error');
  if (callFailure(error) === 'not_run') return refusal('service_unavailable');
  // Moleculer marks what happened between services as retryable: a timeout, a node that went away.
  if (retryable === true) return refusal(isSafe(asked.method) ? 'service_unavailable' : 'outcome_unknown');
  return refusal('internal_error');
}

function refusal(code: ErrorCode, extras: ProblemExtras = {}): Refusal {
  return { code, extras };
}

/** Services word their complaints about fields in English. */
function rewordedExtras(extras: ProblemExtras, { language = 'en' }: Asked): ProblemExtras {
  if (!Array.isArray(extras.errors)) return extras;
  return { ...extras, errors: (extras.errors as FieldComplaint[]).map((each) => translate(each, language)) };
}

function isSafe(method: string | undefined): boolean {
  return method === undefined || SAFE_METHODS.includes(method);
}

/**
 * The validator's findings as complaints of the client's. Undefined where it was not the client's request that was
 * found wanting, but a call between services: that is our mistake.
 */
function validationRefusal(error: unknown, { input, language }: Asked): Refusal | undefined {
  const { data } = error as { data?: unknown };
  const findings = Array.isArray(data) ? (data as Finding[]) : [];
  const parts = Map.groupBy(findings, partOf);
  if (findings.length === 0 || input === undefined || parts.has(undefined)) return undefined;
  // An ill-formed path names nothing (contract, section 1).
  if (parts.has('path')) return refusal('not_found');
  const errors: FieldComplaint[] = [
    ...complaintsAbout((parts.get('query') ?? []).map(within), input.query, '', language).map(asParameter),
    ...complaintsAbout((parts.get('body') ?? []).map(within), input.body, '', language),
  ];
  return refusal('validation_failed', { errors });
}

type Part = 'path' | 'query' | 'body';

/** Which part of the request a finding is about; every public action is called with these three. */
function partOf({ field }: Finding): Part | undefined {
  const part = field?.split(/[.[]/, 1)[0];
  return part === 'path' || part === 'query' || part === 'body' ? part : undefined;
}

/** The finding with its field named from within its part: `body.rules.shortfall` -> `rules.shortfall`. */
function within(finding: Finding): Finding {
  const dot = finding.field?.indexOf('.') ?? -1;
  return { ...finding, field: dot === -1 ? undefined : finding.field?.slice(dot + 1) };
}

/** Query parameters are named as they are, not by a pointer. */
function asParameter(complaint: FieldComplaint): FieldComplaint {
  return { ...complaint, pointer: complaint.pointer.slice(1).replaceAll('~1', '/').replaceAll('~0', '~') };
}
