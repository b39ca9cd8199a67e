/**
 * The table of refusals: code -> HTTP status and, in each language, the texts. A code is part of the public interface: it is
 * never renamed, and never gets another meaning.
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

/** Whether the text is a code of the table. */
export function isErrorCode(text: unknown): text is ErrorCode {
  return typeof text === 'string' && Object.hasOwn(ERRORS, text);
}
