import type { ValidationRule, ValidationSchema } from 'fastest-validator';
import { isCurrency } from '../money/currency.ts';
import { DAY_MAX, DAY_MIN, isCalendarDate } from '../calendar/calendar.ts';
import { isTimeZone } from '../calendar/zones.ts';
import { readInstant } from '../calendar/instant.ts';
import {
  AMOUNT_MAX_MAJOR,
  NO_SUCH_ID,
  PERCENT_MAX,
  PERCENT_MIN,
  TEXT_NAME_PATTERN,
  type Field,
  type Fields,
  type FieldSpec,
} from './fields.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Whether the value is an id in its normal form: a UUID in lower case. */
export function isId(value: unknown): value is string {
  return typeof value === 'string' && UUID.test(value);
}

type Complaint = { type: string; expected?: unknown; actual?: unknown; member?: string };
type Complain = (complaint: Complaint) => void;

/** Returns a fastest-validator rule that passes a string to `read`, which returns the normal form, or complains. */
function stringRule(read: (value: string, complain: Complain) => string): ValidationRule {
  return {
    type: 'string',
    custom: (value: unknown, errors: Complaint[]) =>
      typeof value === 'string' ? read(value, (complaint) => errors.push(complaint)) : value,
  };
}

function readText(value: string, min: number, max: number, complain: Complain): string {
  const trimmed = value.trim();
  const code_points = Array.from(trimmed).length;
  if (code_points < min) complain({ type: 'stringMin', expected: min, actual: code_points });
  if (code_points > max) complain({ type: 'stringMax', expected: max, actual: code_points });
  // PostgreSQL's text cannot hold U+0000, and a lone surrogate has no UTF-8 form.
  if (trimmed.includes('\u0000') || !trimmed.isWellFormed()) complain({ type: 'stringPattern' });
  return trimmed;
}

type TextsSpec = Extract<FieldSpec, { kind: 'texts' }>;

/** Returns an object with the same names and trimmed texts, and complains about each wrong member by its name. */
function readTexts(value: object, spec: TextsSpec, complain: Complain): object {
  const members = Object.entries(value) as [string, unknown][];
  if (members.length > spec.max_members) {
    complain({ type: 'objectMaxProps', expected: spec.max_members });
    return value;
  }
  const read = members.map(([member, text]) => {
    if (!isTextName(member, spec.max_name_code_points)) {
      complain({ type: 'memberName', expected: spec.max_name_code_points, member });
    }
    if (typeof text !== 'string') {
      complain({ type: text === null ? 'required' : 'string', member });
      return [member, text];
    }
    return [member, readText(text, 0, spec.max_code_points, (complaint) => complain({ ...complaint, member }))];
  });
  // Unlike an assignment, this makes every name an own member.
  return Object.fromEntries(read) as object;
}

const TEXT_NAME = new RegExp(TEXT_NAME_PATTERN, 'u');

/** Whether a member may have this name. An assignment to `__proto__` would not create a member. */
function isTextName(name: string, max_code_points: number): boolean {
  const code_points = Array.from(name).length;
  const hasLength = code_points >= 1 && code_points <= max_code_points;
  return hasLength && TEXT_NAME.test(name) && name.isWellFormed() && name !== '__proto__';
}

function readDay(day: string, complain: Complain, otherwise = 'date'): string {
  if (!isCalendarDate(day)) complain({ type: otherwise });
  else if (day < DAY_MIN) complain({ type: 'dateMin', expected: DAY_MIN });
  else if (day > DAY_MAX) complain({ type: 'dateMax', expected: DAY_MAX });
  return day;
}

/** Returns the instant as answers have it: in UTC with milliseconds. */
function readTime(text: string, complain: Complain, otherwise = 'instant'): string {
  const instant = readInstant(text);
  if (instant === undefined) {
    complain({ type: otherwise });
    return text;
  }
  readDay(text.slice(0, DAY_MIN.length), complain);
  return instant.toISOString();
}

const rulesByKind: { [K in FieldSpec['kind']]: (spec: Extract<FieldSpec, { kind: K }>) => ValidationRule } = {
  text: ({ min_code_points, max_code_points }) =>
    stringRule((value, complain) => readText(value, min_code_points, max_code_points, complain)),
  // Not trimmed: a user id with a leading space is another user id.
  opaque: ({ max_code_points }) =>
    stringRule((value, complain) => {
      // A string has at most as many code points as units, so most need no counting.
      const code_points = value.length <= max_code_points ? value.length : Array.from(value).length;
      if (code_points > max_code_points) complain({ type: 'stringMax', expected: max_code_points });
      return value;
    }),
  enumeration: (spec) =>
    stringRule((value, complain) => {
      const word = value.trim().toLowerCase();
      if (!spec.values.includes(word)) complain({ type: 'stringEnum', expected: spec.values.join(', ') });
      return word;
    }),
  integer: (spec) => ({ type: 'number', integer: true, min: spec.min, max: spec.max }),
  boolean: () => ({ type: 'boolean' }),
  amount: ({ or_zero }) => ({
    type: 'number',
    ...(or_zero === true ? { min: 0 } : { positive: true }),
    max: AMOUNT_MAX_MAJOR,
  }),
  percent: () => ({
    type: 'number',
    min: PERCENT_MIN,
    max: PERCENT_MAX,
    custom: (value: unknown, errors: Complaint[]) => {
      if (typeof value === 'number' && Number(value.toFixed(2)) !== value) errors.push({ type: 'percentDecimals' });
      return value;
    },
  }),
  money: () => ({ type: 'number' }),
  minor: () => ({ type: 'number', integer: true, min: -Number.MAX_SAFE_INTEGER, max: Number.MAX_SAFE_INTEGER }),
  id: () =>
    stringRule((value) => {
      const lower = value.trim().toLowerCase();
      return isId(lower) ? lower : NO_SUCH_ID;
    }),
  date: () => stringRule((value, complain) => readDay(value.trim(), complain)),
  instant: () => stringRule((value, complain) => readTime(value.trim(), complain)),
  day_or_instant: () =>
    stringRule((value, complain) => {
      const text = value.trim();
      return (text.length <= DAY_MIN.length ? readDay : readTime)(text, complain, 'dayOrInstant');
    }),
  currency: () =>
    stringRule((value, complain) => {
      const code = value.trim().toUpperCase();
      if (!isCurrency(code)) complain({ type: 'currency' });
      return code;
    }),
  time_zone: () =>
    stringRule((value, complain) => {
      const zone = value.trim();
      if (!isTimeZone(zone)) complain({ type: 'timeZone' });
      return zone;
    }),
  list: listRule,
  object: ({ fields, min_members }) => objectRule(fields, min_members),
  texts: (spec) => {
    const custom: Custom = (value, errors) =>
      isObject(value) ? readTexts(value, spec, (complaint) => errors.push(complaint)) : value;
    return { type: 'object', custom };
  },
  free: () => ({ type: 'object' }),
};

/**
 * Returns the rule of an object with these members. fastest-validator sets absent members to `undefined` and counts them, so
 * this rule counts the members with a value.
 */
export function objectRule(fields: Fields, min_members = 0): ValidationRule {
  const rule = { type: 'object', strict: true, props: rulesOf(fields) } as const;
  if (min_members === 0) return rule;
  const custom: Custom = (value, errors) => {
    const members = Object.values(value ?? {}).filter((member) => member !== undefined);
    if (isObject(value) && members.length < min_members) errors.push({ type: 'objectMinProps', expected: min_members });
    return value;
  };
  return { ...rule, custom };
}

/** fastest-validator reports what `custom` of an item finds for the whole list, so this rule names the item. */
function listRule({ of, min_items, max_items }: Extract<FieldSpec, { kind: 'list' }>): ValidationRule {
  const { custom: ofItem, ...items } = ruleOf(of) as { custom?: Custom };
  const rule = { type: 'array', items: items as ValidationRule, min: min_items, max: max_items } as const;
  if (ofItem === undefined) return rule;
  const custom: Custom = (value, errors) => {
    if (!Array.isArray(value)) return value;
    return value.map((item: unknown, index) => {
      const found: Complaint[] = [];
      const read = ofItem(item, found);
      errors.push(...found.map((complaint) => ({ ...complaint, member: String(index) })));
      return read;
    });
  };
  return { ...rule, custom };
}

/** Whether fastest-validator accepts the value as an object. */
function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns the fastest-validator rule that checks one value, and converts it to its normal form. */
export function ruleOf(field: Field): ValidationRule {
  const { spec } = field;
  const build = rulesByKind[spec.kind] as (spec: FieldSpec) => ValidationRule;
  // The type is a union of interfaces, to which members cannot be added, so the rule is used as a plain object.
  const rule = build(spec) as unknown as Record<string, unknown> & { custom?: Custom };
  const checked = { ...rule, optional: field.optional, nullable: field.nullable };
  if (field.fallback === undefined) return checked as unknown as ValidationRule;
  // With a default, fastest-validator treats null as absent. So null passes its check, and `custom` refuses it.
  return {
    ...checked,
    default: field.fallback,
    nullable: true,
    custom: refuseNull(rule.custom),
  } as unknown as ValidationRule;
}

type Custom = (value: unknown, errors: Complaint[]) => unknown;

function refuseNull(custom: Custom | undefined): Custom {
  return (value, errors) => {
    if (value === null) errors.push({ type: 'required' });
    return value === null || custom === undefined ? value : custom(value, errors);
  };
}

/** Returns the fastest-validator rules of an object's members. */
export function rulesOf(fields: Fields): ValidationSchema {
  return Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, ruleOf(field)]));
}

/** Returns the fastest-validator rules of query parameters, in which numbers are texts. */
export function queryRulesOf(fields: Fields): ValidationSchema {
  return Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [
      name,
      field.spec.kind === 'integer' ? queryInteger(field, field.spec) : ruleOf(field),
    ]),
  );
}

/** Returns a rule that accepts only digits, as JavaScript also reads `0x10`, `1e1` and ` 5 ` as numbers. */
function queryInteger(field: Field, { min, max }: { min: number; max: number }): ValidationRule {
  return {
    type: 'any',
    optional: field.optional || field.fallback !== undefined,
    nullable: false,
    custom: (value: unknown, errors: Complaint[]) => {
      if (value === undefined) return field.fallback;
      const number = typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value;
      if (typeof number !== 'number' || !Number.isInteger(number)) errors.push({ type: 'numberInteger' });
      else if (number < min) errors.push({ type: 'numberMin', expected: min });
      else if (number > max) errors.push({ type: 'numberMax', expected: max });
      return number;
    },
  };
}
