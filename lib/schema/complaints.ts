/** Turns the validator's findings into what a client is told: which field, which rule. Never what was sent. */
import type { FieldComplaint } from '../errors/problem.ts';

/** One finding of fastest-validator, as it is or come over NATS. */
export interface Finding {
  type: string;
  /** Such as `rules.approvals.motion` or `member_order[3]`; absent for the value as a whole. */
  field?: string | undefined;
  /** What the rule asks for. */
  expected?: unknown;
}

/** A hostile body can break a rule in thousands of places; nobody reads past these. */
const COMPLAINTS_MAX = 100;

type Wording = { code: string; detail: (expected: string) => string };

/** fastest-validator's types of findings -> the public code and its words. */
const WORDINGS: Record<string, Wording> = {
  required: { code: 'required', detail: () => 'This field is required.' },
  string: { code: 'type', detail: () => 'This must be a string.' },
  number: { code: 'type', detail: () => 'This must be a number.' },
  boolean: { code: 'type', detail: () => 'This must be true or false.' },
  object: { code: 'type', detail: () => 'This must be an object.' },
  array: { code: 'type', detail: () => 'This must be an array.' },
  stringMin: { code: 'too_short', detail: (expected) => `This must have at least ${expected} characters.` },
  stringMax: { code: 'too_long', detail: (expected) => `This may have at most ${expected} characters.` },
  stringPattern: { code: 'malformed', detail: () => 'This holds characters that it may not hold.' },
  stringEnum: { code: 'not_allowed', detail: (expected) => `This must be one of: ${expected}.` },
  date: { code: 'date', detail: () => 'This must be a day that exists, written YYYY-MM-DD.' },
  numberInteger: { code: 'integer', detail: () => 'This must be a whole number.' },
  numberPositive: { code: 'too_small', detail: () => 'This must be greater than 0.' },
  numberMin: { code: 'too_small', detail: (expected) => `This must be at least ${expected}.` },
  numberMax: { code: 'too_large', detail: (expected) => `This may be at most ${expected}.` },
  arrayMin: { code: 'too_few', detail: (expected) => `This must have at least ${expected} items.` },
  arrayMax: { code: 'too_many', detail: (expected) => `This may have at most ${expected} items.` },
};

const OTHERWISE: Wording = { code: 'invalid', detail: () => 'This value is not allowed here.' };

/**
 * The complaints about a checked value.
 * @param value what was checked, to find the names of unknown members
 * @param prefix a JSON Pointer (RFC 6901) to `value` in the request's body
 */
export function complaintsAbout(findings: readonly Finding[], value: unknown, prefix = ''): FieldComplaint[] {
  return findings.flatMap((finding) => complaintsOf(finding, value, prefix)).slice(0, COMPLAINTS_MAX);
}

function complaintsOf(finding: Finding, value: unknown, prefix: string): FieldComplaint[] {
  const segments = segmentsOf(finding.field);
  const pointer = prefix + segments.map(pointerSegment).join('');
  if (finding.type === 'objectStrict') {
    return unknownMembers(at(value, segments), expectedText(finding)).map((name) => ({
      pointer: pointer + pointerSegment(name),
      code: 'unknown',
      detail: 'There is no such field here.',
    }));
  }
  const { code, detail } = WORDINGS[finding.type] ?? OTHERWISE;
  return [{ pointer, code, detail: detail(expectedText(finding)) }];
}

/** `member_order[3].name` -> its segments; contracts give no field a name with a dot or a bracket. */
function segmentsOf(field: string | undefined): string[] {
  return field === undefined ? [] : field.split(/[.[\]]+/).filter((segment) => segment !== '');
}

/** One reference token of a JSON Pointer, escaped (RFC 6901, section 3). */
export function pointerSegment(name: string): string {
  return `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

function at(value: unknown, segments: string[]): unknown {
  return segments.reduce<unknown>(
    (inside, name) =>
      typeof inside === 'object' && inside !== null ? (inside as Record<string, unknown>)[name] : undefined,
    value,
  );
}

/** The names themselves: the finding has them in one text, which a name with a comma would break. */
function unknownMembers(value: unknown, known: string): string[] {
  const names = new Set(known.split(', '));
  return Object.keys(value ?? {}).filter((name) => !names.has(name));
}

function expectedText({ expected }: Finding): string {
  return typeof expected === 'string' || typeof expected === 'number' ? String(expected) : '';
}
