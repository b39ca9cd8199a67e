/**
 * The table of errors: for each code the HTTP status and the texts in each language. A code is part of the public API:
 * it is never renamed, and its meaning never changes.
 */
import { ACCESS_ERRORS } from './table/access.ts';
import { APPROVAL_ERRORS } from './table/approvals.ts';
import { ASSOCIATION_ERRORS } from './table/associations.ts';
import { LEDGER_ERRORS } from './table/ledger.ts';
import { REQUEST_ERRORS } from './table/request.ts';

export const ERRORS = {
  ...REQUEST_ERRORS,
  ...ACCESS_ERRORS,
  ...ASSOCIATION_ERRORS,
  ...LEDGER_ERRORS,
  ...APPROVAL_ERRORS,
} as const;

export type ErrorCode = keyof typeof ERRORS;

/** Whether a value is an error code. */
export function isErrorCode(text: unknown): text is ErrorCode {
  return typeof text === 'string' && Object.hasOwn(ERRORS, text);
}
