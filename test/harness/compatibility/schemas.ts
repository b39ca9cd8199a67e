/**
 * Compares the JSON Schemas of two releases. openapi-diff refuses OpenAPI 3.1; api-smart-diff takes a member of an answer that may
 * become null for harmless; neither compares calls between services in both directions. Contracts use few keywords of JSON Schema
 * (lib/schema/json-schema.ts), and an unknown one is an error here, so that no change is passed over.
 */
import type { JsonSchema } from '../../../lib/schema/json-schema.ts';
import type { Break, Rule } from './rules.ts';

/** A schema within a document, which resolves its references. */
export interface Place {
  document: JsonSchema;
  pointer: string;
  value: JsonSchema;
}

/**
 * `request`: what the earlier schema accepts, the later one accepts. `answer`: a reader of the earlier one can read values of
 * the later one. `earlier_answer`: a reader of the first one can read values of a process that lacks its optional members.
 */
export type Direction = 'request' | 'answer' | 'earlier_answer';

/** A schema with null separated from its type. */
interface Plain {
  types: readonly string[];
  nullable: boolean;
  place: Place;
}

const LOWER_LIMITS = ['minimum', 'exclusiveMinimum', 'minLength', 'minItems', 'minProperties'];
const UPPER_LIMITS = ['maximum', 'maxLength', 'maxItems', 'maxProperties'];
const FORMS = ['format', 'pattern', 'contentMediaType'];
const STRUCTURE = ['type', 'enum', 'const', 'properties', 'required', 'items', 'oneOf', 'anyOf', 'discriminator'];
/** Of an object whose members have any names: the schemas of all names and of all values. */
const OF_ANY_NAME = ['propertyNames', 'additionalProperties'] as const;
/** `default` is compared where the field is, since it says what an absent field means. */
const OTHERS = ['default', '$ref', 'title', 'description', 'examples', 'example'];
const KNOWN = new Set([...LOWER_LIMITS, ...UPPER_LIMITS, ...FORMS, ...STRUCTURE, ...OF_ANY_NAME, ...OTHERS]);

/** Returns the value at a pointer of the document, with references followed. */
export function placeAt(document: JsonSchema, pointer: string): Place {
  const value = pointer
    .split('/')
    .slice(1)
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<unknown>((inside, token) => (inside as JsonSchema | undefined)?.[token], document);
  if (typeof value !== 'object' || value === null) throw new Error(`The document has no ${pointer}`);
  return resolved({ document, pointer, value: value as JsonSchema });
}

/** Returns a part of a place, with references followed. */
export function within({ document, pointer, value }: Place, ...tokens: string[]): Place {
  const inner = tokens.reduce<unknown>((inside, token) => (inside as JsonSchema | undefined)?.[token], value);
  const path = tokens.map((token) => `/${token.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
  return resolved({ document, pointer: pointer + path, value: (inner ?? {}) as JsonSchema });
}

function resolved(place: Place): Place {
  const { $ref } = place.value;
  return typeof $ref === 'string' ? placeAt(place.document, $ref.slice(1)) : place;
}

/** Returns what breaks between the schemas of two releases. */
export function schemaBreaks(was: Place, now: Place, direction: Direction): Break[] {
  const [before, after] = [plain(was), plain(now)];
  return [
    ...typeBreaks(before, after, direction),
    ...valueBreaks(before.place, after.place, direction),
    ...limitBreaks(before.place, after.place, direction),
    ...formBreaks(before.place, after.place, direction),
    ...memberBreaks(before.place, after.place, direction),
    ...itemBreaks(before.place, after.place, direction),
    ...anyNameBreaks(before.place, after.place, direction),
    ...variantBreaks(before.place, after.place, direction),
  ];
}

function plain(place: Place): Plain {
  const unknown = Object.keys(place.value).filter((keyword) => !KNOWN.has(keyword));
  if (unknown.length > 0) throw new Error(`${place.pointer}: this comparison does not know ${unknown.join(', ')}`);
  const { anyOf, type } = place.value as { anyOf?: JsonSchema[]; type?: string | string[] };
  if (anyOf !== undefined) {
    const index = anyOf.findIndex((each) => each.type !== 'null');
    return { ...plain(within(place, 'anyOf', String(index))), nullable: true };
  }
  const types = [type ?? []].flat();
  return { types: types.filter((each) => each !== 'null'), nullable: types.includes('null'), place };
}

/** Returns a break of a rule at a place. */
export function broken(rule: Rule, { pointer }: Place, what: string): Break {
  return { rule, pointer, what };
}

function typeBreaks(was: Plain, now: Plain, direction: Direction): Break[] {
  const rule = direction === 'request' ? 'request' : 'answer';
  const accepts = (type: string) => now.types.includes(type) || (type === 'integer' && now.types.includes('number'));
  const isKept = direction === 'request' ? was.types.every(accepts) : was.types.join() === now.types.join();
  const changed = isKept ? [] : [broken(rule, was.place, `type ${was.types.join()} became ${now.types.join()}`)];
  if (was.nullable === now.nullable) return changed;
  if (direction === 'request') return was.nullable ? [...changed, broken(rule, was.place, 'null is refused')] : changed;
  return now.nullable ? [...changed, broken('present', was.place, 'may become null')] : changed;
}

/** Returns the values of an enumeration, or undefined if any value is allowed. */
function valuesOf({ value }: Place): unknown[] | undefined {
  return 'const' in value ? [value.const] : (value.enum as unknown[] | undefined);
}

function valueBreaks(was: Place, now: Place, direction: Direction): Break[] {
  const [before, after] = [valuesOf(was), valuesOf(now)];
  if (direction === 'request') {
    const refused = before?.filter((each) => after?.includes(each) === false) ?? [];
    if (before === undefined && after !== undefined)
      return [broken('request', was, `only ${after.join()} is accepted`)];
    return refused.map((each) => broken('request', was, `${String(each)} is refused`));
  }
  if (before === undefined) return [];
  if (after === undefined) return [broken('answer', was, 'is no longer an enumeration')];
  const added = 'const' in was.value ? after.filter((each) => !before.includes(each)) : [];
  return [
    ...before.filter((each) => !after.includes(each)).map((each) => broken('value', was, `${String(each)} is removed`)),
    ...added.map((each) => broken('answer', was, `is no longer always ${String(before[0])}, but also ${String(each)}`)),
  ];
}

/** A request is refused beyond its limits, so they may only widen. An answer may be longer or larger, but not smaller. */
function limitBreaks(was: Place, now: Place, direction: Direction): Break[] {
  const limit = ({ value }: Place, keyword: string, none: number) => (value[keyword] ?? none) as number;
  const isLess = (keyword: string, none: number) => limit(now, keyword, none) < limit(was, keyword, none);
  const isMore = (keyword: string) => limit(now, keyword, -Infinity) > limit(was, keyword, -Infinity);
  const moved =
    direction === 'request'
      ? [...LOWER_LIMITS.filter(isMore), ...UPPER_LIMITS.filter((keyword) => isLess(keyword, Infinity))]
      : LOWER_LIMITS.filter((keyword) => isLess(keyword, -Infinity));
  return moved.map((keyword) => changed(keyword, was, now, direction));
}

function formBreaks(was: Place, now: Place, direction: Direction): Break[] {
  // `int64` only says that a number has no other limit.
  const isWider = ({ value }: Place, keyword: string) => value[keyword] === undefined || value[keyword] === 'int64';
  return FORMS.filter((keyword) => was.value[keyword] !== now.value[keyword])
    .filter((keyword) => direction !== 'request' || !isWider(now, keyword))
    .map((keyword) => changed(keyword, was, now, direction));
}

function changed(keyword: string, was: Place, now: Place, direction: Direction): Break {
  const [before, after] = [was, now].map(({ value }) => JSON.stringify(value[keyword]) ?? 'none');
  return broken(direction === 'request' ? 'request' : 'answer', was, `${keyword} ${before!} became ${after!}`);
}

function membersOf({ value }: Place): Record<string, JsonSchema> {
  return (value.properties ?? {}) as Record<string, JsonSchema>;
}

function requires({ value }: Place, member: string): boolean {
  return ((value.required ?? []) as string[]).includes(member);
}

function memberBreaks(was: Place, now: Place, direction: Direction): Break[] {
  const [before, after] = [membersOf(was), membersOf(now)];
  const kept = Object.keys(before).filter((member) => member in after);
  const lost = Object.keys(before)
    .filter((member) => !(member in after))
    .filter((member) => direction !== 'earlier_answer' || requires(was, member));
  const at = (member: string) => ({ ...was, pointer: `${was.pointer}/properties/${member}` });
  return [
    ...lost.map((member) =>
      direction === 'request'
        ? broken('request', at(member), 'is not accepted')
        : broken('answer', at(member), 'is missing'),
    ),
    ...(direction === 'request' ? refusedMembers(was, now, at) : []),
    ...kept
      .filter((member) => direction !== 'request' && requires(was, member) && !requires(now, member))
      .map((member) => broken('present', at(member), 'may be absent')),
    ...kept.flatMap((member) =>
      schemaBreaks(within(was, 'properties', member), within(now, 'properties', member), direction),
    ),
  ];
}

/** Returns the members without which a request is now refused, and those whose absence has got another meaning. */
function refusedMembers(was: Place, now: Place, at: (member: string) => Place): Break[] {
  const [before, after] = [membersOf(was), membersOf(now)];
  const required = Object.keys(after).filter((member) => requires(now, member) && !requires(was, member));
  const optional = Object.keys(before).filter((member) => member in after && !requires(was, member));
  const closes = was.value.type === 'object' && was.value.additionalProperties !== false;
  return [
    ...required.map((member) =>
      broken('request', at(member), member in before ? 'becomes required' : 'is new and required'),
    ),
    ...optional.flatMap((member) => defaultBreaks(at(member), before[member], after[member])),
    ...(closes && now.value.additionalProperties === false
      ? [broken('request', was, 'other members are refused')]
      : []),
  ];
}

/** Returns the change of the default of an optional field. It is beside the reference to the field's type. */
export function defaultBreaks(place: Place, was: JsonSchema | undefined, now: JsonSchema | undefined): Break[] {
  const [before, after] = [was, now].map((schema) => JSON.stringify(schema?.default) ?? 'none');
  return before === after ? [] : [broken('request', place, `default ${before!} became ${after!}`)];
}

function itemBreaks(was: Place, now: Place, direction: Direction): Break[] {
  return 'items' in was.value ? schemaBreaks(within(was, 'items'), within(now, 'items'), direction) : [];
}

/** Compares what the members of an object may be called and have as values, if they have any names. */
function anyNameBreaks(was: Place, now: Place, direction: Direction): Break[] {
  const isSchema = ({ value }: Place, keyword: string) => typeof value[keyword] === 'object';
  return OF_ANY_NAME.flatMap((keyword) => {
    if (!isSchema(was, keyword)) return [];
    // Without it a request is refused less; additionalProperties that became false are compared with the members.
    if (!isSchema(now, keyword)) return direction === 'request' ? [] : [broken('answer', was, `${keyword} is missing`)];
    return schemaBreaks(within(was, keyword), within(now, keyword), direction);
  });
}

/** Compares the objects of a `oneOf`, which a member distinguishes. */
function variantBreaks(was: Place, now: Place, direction: Direction): Break[] {
  const [before, after] = [variantsOf(was), variantsOf(now)];
  return [...before].flatMap(([value, variant]) => {
    const later = after.get(value);
    if (later !== undefined) return schemaBreaks(variant, later, direction);
    return [broken(direction === 'request' ? 'request' : 'value', was, `${value} is removed`)];
  });
}

/** Returns the objects of a `oneOf` by the value that distinguishes them; none for another schema. */
export function variantsOf({ document, pointer, value }: Place): Map<string, Place> {
  if (!('oneOf' in value)) return new Map();
  const { mapping } = (value.discriminator ?? {}) as { mapping?: Record<string, string> };
  if (mapping === undefined) throw new Error(`${pointer}: this comparison knows oneOf only with a discriminator`);
  return new Map(Object.entries(mapping).map(([word, ref]) => [word, placeAt(document, ref.slice(1))]));
}
