/**
 * The one table of refusals: code -> HTTP status and, in each language, text (RFC 9457 `title` and `detail`). Codes are
 * part of the public interface: never renamed, never reused.
 */
import { MONEY_ERRORS } from './words/money.ts';
import { PEOPLE_ERRORS } from './words/people.ts';
import { REQUEST_ERRORS } from './words/request.ts';

export const ERRORS = { ...REQUEST_ERRORS, ...PEOPLE_ERRORS, ...MONEY_ERRORS } as const;

export type ErrorCode = keyof typeof ERRORS;

/** Whether the text is a code of the table. */
export function isErrorCode(text: unknown): text is ErrorCode {
  return typeof text === 'string' && Object.hasOwn(ERRORS, text);
}
