/**
 * The table of errors: for each code the HTTP status and the texts in each language. A code is part of the public API:
 * it is never renamed, and its meaning never changes.
 */
import { isDeepStrictEqual } from 'node:util';
import { ACCESS_ERRORS } from './table/access.ts';
import { APPROVAL_ERRORS } from './table/approvals.ts';
import { ASSOCIATION_ERRORS } from './table/associations.ts';
import type { ErrorEntry } from './table/entry.ts';
import { LEDGER_ERRORS } from './table/ledger.ts';
import { REQUEST_ERRORS } from './table/request.ts';

const TABLE = {
  ...REQUEST_ERRORS,
  ...ACCESS_ERRORS,
  ...ASSOCIATION_ERRORS,
  ...LEDGER_ERRORS,
  ...APPROVAL_ERRORS,
};

export type ErrorCode = keyof typeof TABLE;

export const ERRORS: Readonly<Record<ErrorCode, ErrorEntry>> = TABLE;

/** The codes that further services declare (lib/contracts/service-api.ts), in their own processes and in the gateway's. */
const declared = new Map<string, ErrorEntry>();

/**
 * Adds the codes of a further service to the table. To add the same ones again changes nothing.
 * @throws Error for a code with another entry: its meaning never changes
 */
export function addErrors(table: Readonly<Record<string, ErrorEntry>>): void {
  const entries = Object.entries(table);
  for (const [code, entry] of entries) {
    const known: ErrorEntry | undefined = isErrorCode(code) ? errorEntry(code) : undefined;
    if (known !== undefined && !isDeepStrictEqual(known, entry))
      throw new Error(`The error code ${code} exists already`);
  }
  for (const [code, entry] of entries) if (!Object.hasOwn(ERRORS, code)) declared.set(code, entry);
}

/** Whether a value is an error code, also one that a further service has declared, which the type does not show. */
export function isErrorCode(text: unknown): text is ErrorCode {
  return typeof text === 'string' && (Object.hasOwn(ERRORS, text) || declared.has(text));
}

/** Returns the status and the texts of a code. */
export function errorEntry(code: ErrorCode): ErrorEntry {
  return declared.get(code) ?? ERRORS[code];
}

/** Returns all codes, in the order of the table. */
export function errorCodes(): ErrorCode[] {
  return [...Object.keys(ERRORS), ...declared.keys()] as ErrorCode[];
}
