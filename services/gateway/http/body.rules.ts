import { pointerSegment } from '../../../lib/schema/complaints.ts';

export type JsonReading =
  | { value: Record<string, unknown> }
  /** Not JSON, not an object, or nested too deep. */
  | { malformed: true }
  /** JSON Pointers to numbers that a double cannot hold as they are written. */
  | { inexact: string[] };

/** The contract's bodies nest three deep; a body beyond this is an attack on the stack. */
const DEPTH_MAX = 32;

/** Stands in for a number that reading would have changed. */
const INEXACT = Symbol('inexact number');

/** `JSON.parse` as Node 24 has it: the reviver also gets the text of each number. */
type ParseWithSource = (
  text: string,
  reviver: (key: string, value: unknown, context: { source?: string }) => unknown,
) => unknown;

/**
 * Reads a body exactly: a number that a double would round is reported, not rounded. The last of two members of one
 * name counts.
 */
export function readExactJson(text: string): JsonReading {
  let value: unknown;
  try {
    value = (JSON.parse as ParseWithSource)(text, (_key, member, { source }) =>
      typeof member === 'number' && source !== undefined && !isExact(source, member) ? INEXACT : member,
    );
  } catch (error) {
    // RangeError: nested so deep that the stack did not hold it.
    if (error instanceof SyntaxError || error instanceof RangeError) return { malformed: true };
    throw error;
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return { malformed: true };
  const inexact: string[] = [];
  if (!inspect(value, '', 0, inexact)) return { malformed: true };
  return inexact.length > 0 ? { inexact } : { value: value as Record<string, unknown> };
}

/** Collects the pointers of inexact numbers. @returns false for a value that is nested too deep */
function inspect(value: object, pointer: string, depth: number, inexact: string[]): boolean {
  if (depth > DEPTH_MAX) return false;
  for (const [name, member] of Object.entries(value) as [string, unknown][]) {
    if (member === INEXACT) inexact.push(pointer + pointerSegment(name));
    else if (typeof member === 'object' && member !== null) {
      if (!inspect(member, pointer + pointerSegment(name), depth + 1, inexact)) return false;
    }
  }
  return true;
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
