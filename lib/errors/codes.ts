/**
 * The table of errors: for each code the HTTP status and the texts in each language. A code is part of the public API:
 * it is never renamed, and its meaning never changes.
 */
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

/** A code that a further service has declared. */
interface Declared {
  entry: ErrorEntry;
  /** The service; undefined until it is known. */
  owner: string | undefined;
}

/** The codes that further services declare (lib/contracts/service-api.ts), in their own processes and in the gateway's. */
const declared = new Map<string, Declared>();

/**
 * Adds the codes of a further service to the table. A service may change the texts of its codes.
 * @throws Error for a code of another service or of this project, and for another status: the meaning of a code never changes
 */
export function addErrors(table: Readonly<Record<string, ErrorEntry>>, owner?: string): void {
  const entries = Object.entries(table);
  for (const [code, entry] of entries) {
    const known = declared.get(code);
    const own = known === undefined || known.owner === undefined || owner === undefined || known.owner === owner;
    if (Object.hasOwn(ERRORS, code)) throw new Error(`The error code ${code} is one of this project`);
    if (!own) throw new Error(`The error code ${code} is one of ${known.owner ?? ''}`);
    if (known !== undefined && known.entry.status !== entry.status) {
      throw new Error(`The error code ${code} had the status ${String(known.entry.status)}, which never changes`);
    }
  }
  for (const [code, entry] of entries) declared.set(code, { entry, owner: owner ?? declared.get(code)?.owner });
}

/** Whether a value is an error code, also one that a further service has declared, which the type does not show. */
export function isErrorCode(text: unknown): text is ErrorCode {
  return typeof text === 'string' && (Object.hasOwn(ERRORS, text) || declared.has(text));
}

/** Returns the status and the texts of a code. */
export function errorEntry(code: ErrorCode): ErrorEntry {
  return declared.get(code)?.entry ?? ERRORS[code];
}

/** Returns all codes, in the order of the table. */
export function errorCodes(): ErrorCode[] {
  return [...Object.keys(ERRORS), ...declared.keys()] as ErrorCode[];
}
