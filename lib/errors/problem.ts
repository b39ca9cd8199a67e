import { addErrors, errorEntry, isErrorCode, type ErrorCode } from './codes.ts';
import type { ErrorEntry } from './table/entry.ts';

/** Additional members of a problem, such as `outstanding` or `required_roles`. */
export type ProblemExtras = Record<string, unknown>;

/**
 * A refusal, with the members that Moleculer sends over NATS. There it arrives as a plain Error with them, so use
 * problemCode(), never `instanceof`.
 */
export class Problem extends Error {
  override readonly name = 'Problem';
  /** The HTTP status. */
  readonly code: number;
  readonly type: ErrorCode;
  readonly data: ProblemExtras;
  /** Moleculer must not repeat a call that was refused. */
  readonly retryable = false;

  constructor(code: ErrorCode, extras: ProblemExtras = {}) {
    const { status, en } = errorEntry(code);
    super(en.detail);
    this.code = status;
    this.type = code;
    this.data = extras;
  }
}

/** Builds a refusal. The caller throws it. */
export function problem(code: ErrorCode, extras: ProblemExtras = {}): Problem {
  return new Problem(code, extras);
}

/**
 * Declares the error codes of a further service.
 * @returns the function that builds refusals with these codes
 * @throws Error for a code that exists with another meaning
 */
export function declareErrors<Code extends string>(
  table: Readonly<Record<Code, ErrorEntry>>,
): (code: Code, extras?: ProblemExtras) => Problem {
  addErrors(table);
  return (code, extras) => problem(code as unknown as ErrorCode, extras);
}

/** A field of a request, and the rule that it breaks. */
export interface FieldComplaint {
  /** A JSON Pointer into the body (RFC 6901), or the name of a query parameter. */
  pointer: string;
  code: string;
  detail: string;
}

/** Builds the refusal of fields that break a rule which the contract's fields cannot express. */
export function invalid(...errors: FieldComplaint[]): Problem {
  return problem('validation_failed', { errors });
}

/** Returns the code of a refusal that was thrown here or received over NATS, or undefined for any other error. */
export function problemCode(error: unknown): ErrorCode | undefined {
  const type = (error as { type?: unknown } | null | undefined)?.type;
  return isErrorCode(type) ? type : undefined;
}

/** The types of Moleculer's errors that a call may end with. */
const MOLECULER_TYPES = new Set([
  'SERVICE_NOT_FOUND',
  'SERVICE_NOT_AVAILABLE',
  'VALIDATION_ERROR',
  'REQUEST_TIMEOUT',
  'REQUEST_SKIPPED',
  'REQUEST_REJECTED',
  'QUEUE_FULL',
  'MAX_CALL_LEVEL',
  'GRACEFUL_STOP_TIMEOUT',
  'INVALID_PACKET_DATA',
  'BAD_GATEWAY',
]);

/**
 * Returns the name of an error for metrics and traces: the code of a problem, the type of one of Moleculer's errors such as
 * REQUEST_TIMEOUT, `internal_error` without a type, or `other`, since another service may send any text and each value of a
 * label is stored.
 */
export function errorType(error: unknown): string {
  const { type } = (error ?? {}) as { type?: unknown };
  if (typeof type !== 'string') return 'internal_error';
  return isErrorCode(type) || MOLECULER_TYPES.has(type) ? type : 'other';
}

/** Whether an error is a fault that an operator should look into, and not a refusal of the request. */
export function isFault(error: unknown): boolean {
  const code = problemCode(error);
  return code === undefined || errorEntry(code).status >= 500;
}

/** A refusal in the form in which it is stored. */
export interface Refusal {
  code: ErrorCode;
  extras: ProblemExtras;
}

/** Returns the stored form of a refusal, or undefined for any other error. */
export function refusalIn(error: unknown): Refusal | undefined {
  const code = problemCode(error);
  return code === undefined ? undefined : { code, extras: problemExtras(error) };
}

/** Returns the extras of a refusal; empty for any other error. */
export function problemExtras(error: unknown): ProblemExtras {
  const data = (error as { data?: unknown } | null | undefined)?.data;
  return problemCode(error) !== undefined && typeof data === 'object' && data !== null ? (data as ProblemExtras) : {};
}

/** Moleculer's error types for calls that did not run. */
const NOT_RUN = new Set(['SERVICE_NOT_FOUND', 'SERVICE_NOT_AVAILABLE', 'REQUEST_SKIPPED', 'QUEUE_FULL']);

/**
 * Classifies a failed call to another service: it was refused, it did not run, or its outcome is unknown (a timeout, a
 * lost connection, an error of the other service) until it is repeated with the same id.
 */
export function callFailure(error: unknown): 'refused' | 'not_run' | 'unknown' {
  const code = problemCode(error);
  if (code !== undefined && errorEntry(code).status < 500) return 'refused';
  const type = (error as { type?: unknown } | null | undefined)?.type;
  return typeof type === 'string' && NOT_RUN.has(type) ? 'not_run' : 'unknown';
}
