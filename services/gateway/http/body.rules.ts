import { problem } from '../../../lib/errors/problem.ts';
import type { Problem } from '../../../lib/errors/problem.ts';
import { pointerSegment } from '../../../lib/schema/complaints.ts';
import type { Fields } from '../../../lib/schema/fields.ts';

/** The contract's bodies nest three deep; a body beyond this is an attack on the stack. */
const DEPTH_MAX = 32;

/** Stands in for a number that reading would have changed. */
const INEXACT = Symbol('inexact number');

/** `JSON.parse` as Node 24 has it: the reviver also gets the text of each number. */
type ParseWithSource = (
  text: string,
  reviver: (key: string, value: unknown, context: { source?: string }) => unknown,
) => unknown;

const UTF8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Reads a JSON object exactly: a number that a double would round is refused, not rounded. The last of two members of
 * one name counts.
 * @param fields the contract's body, to tell amounts from other numbers
 * @throws malformed_json for what is not UTF-8, not JSON, not an object, or nested too deep; amount_precision,
 * validation_failed
 */
export function readExactJson(bytes: Uint8Array, fields: Fields): Record<string, unknown> {
  const value = parse(bytes);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw problem('malformed_json');
  const inexact: string[] = [];
  inspect(value, '', 0, inexact);
  if (inexact.length > 0) throw inexactNumbers(inexact, fields);
  return value as Record<string, unknown>;
}

function parse(bytes: Uint8Array): unknown {
  try {
    return (JSON.parse as ParseWithSource)(UTF8.decode(bytes), (_key, member, { source }) =>
      typeof member === 'number' && source !== undefined && !isExact(source, member) ? INEXACT : member,
    );
  } catch {
    // Also nested so deep that the stack did not hold it.
    throw problem('malformed_json');
  }
}

/** Collects the pointers of inexact numbers. @throws malformed_json for a value that is nested too deep */
function inspect(value: object, pointer: string, depth: number, inexact: string[]): void {
  if (depth > DEPTH_MAX) throw problem('malformed_json');
  for (const [name, member] of Object.entries(value) as [string, unknown][]) {
    if (member === INEXACT) inexact.push(pointer + pointerSegment(name));
    else if (typeof member === 'object' && member !== null) {
      inspect(member, pointer + pointerSegment(name), depth + 1, inexact);
    }
  }
}

/** No currency has amounts of more than 15 digits, and a double keeps 15: a number that it would round is too precise. */
function inexactNumbers(pointers: string[], fields: Fields): Problem {
  const amounts = pointers.filter((pointer) => fields[pointer.slice(1)]?.spec.kind === 'amount');
  const code = amounts.length > 0 ? 'amount_precision' : 'validation_failed';
  const detail = 'This number has more digits than can be kept exactly; 15 are.';
  const wrong = amounts.length > 0 ? amounts : pointers;
  return problem(code, { errors: wrong.map((pointer) => ({ pointer, code: 'precision', detail })) });
}

/** Whether the text and the double's shortest form denote the same number. */
function isExact(source: string, value: number): boolean {
  // Nothing of up to 15 characters has more digits than a double keeps, and an exponent shows.
  if (source.length <= 15 && !source.includes('e') && !source.includes('E')) return true;
  return Number.isFinite(value) && canonical(source) === canonical(String(value));
}

/** A decimal, in whatever notation, as `<digits>e<exponent>` without zeros at either end and without its sign. */
function canonical(decimal: string): string {
  const [mantissa = '', exponent = '0'] = decimal.replace(/^[-+]/, '').toLowerCase().split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  const digits = (whole + fraction).replace(/^0+/, '');
  const significant = digits.replace(/0+$/, '');
  if (significant === '') return '0';
  return `${significant}e${String(Number(exponent) - fraction.length + digits.length - significant.length)}`;
}
