/**
 * Contracts are written in these fields. The checks at run time (rules.ts), the TypeScript types (Value, Values) and
 * the documents (json-schema.ts) are all derived from a field, so they always agree.
 */

export type FieldSpec =
  | { kind: 'text'; min_code_points: number; max_code_points: number }
  | { kind: 'opaque'; max_code_points: number }
  | { kind: 'enumeration'; values: readonly string[] }
  | { kind: 'integer'; min: number; max: number }
  | { kind: 'boolean' }
  | { kind: 'amount'; or_zero?: boolean }
  | { kind: 'percent' }
  | { kind: 'money' }
  | { kind: 'minor' }
  | { kind: 'id' }
  | { kind: 'date' }
  | { kind: 'instant' }
  | { kind: 'day_or_instant' }
  | { kind: 'currency' }
  | { kind: 'time_zone' }
  | { kind: 'list'; of: Field; min_items: number; max_items: number }
  /** `shapes`: the forms of the object, only for the document. */
  | { kind: 'object'; fields: Fields; min_members?: number; shapes?: Shapes }
  /** Members under names that the client chooses. */
  | { kind: 'texts'; max_members: number; max_name_code_points: number; max_code_points: number }
  /** `shape`: the usual form of the object, only for the document. */
  | { kind: 'free'; shape?: Field | undefined };

/** Named objects that are distinguished by the value of a member that they all have. */
export interface Shapes {
  readonly by: string;
  readonly of: Readonly<Record<string, Field>>;
}

export interface Field<T = unknown, O extends boolean = boolean> {
  readonly spec: FieldSpec;
  /** Whether the member may be absent. */
  readonly optional: O;
  /** Whether the value may be null. Only answers have null: requests with null are refused. */
  readonly nullable: boolean;
  /** The value of an absent member. */
  readonly fallback?: T | undefined;
  /** What the value means, for the document: one or two sentences of Markdown. */
  readonly description?: string;
  /** For the document. */
  readonly example?: unknown;
  /** Whether examples of an object leave this optional member out. */
  readonly isNotInExamples?: boolean;
  /** The name of its schema among the document's components. */
  readonly component?: string;
  /** Carries the type; absent at run time. */
  readonly value?: T;
}

export type Fields = Record<string, Field>;

/** The TypeScript type of a field's value. */
export type Value<F> = F extends Field<infer T, boolean> ? T : never;

type OptionalKeys<S extends Fields> = { [K in keyof S]: S[K] extends Field<unknown, true> ? K : never }[keyof S];

/** The TypeScript type of an object with these fields. */
export type Values<S extends Fields> = { [K in Exclude<keyof S, OptionalKeys<S>>]: Value<S[K]> } & {
  [K in OptionalKeys<S>]?: Value<S[K]>;
};

/** The largest integer that a JSON number holds exactly, for values without a limit. */
export const UNBOUNDED = Number.MAX_SAFE_INTEGER;

export const PERCENT_MIN = 0.01;
export const PERCENT_MAX = 100;

/** The largest amount in any currency: 999 999 999 999 999 minor units of a currency without decimals. */
export const AMOUNT_MAX_MAJOR = 999_999_999_999_999;

// Every constructor takes a description and an example for the documents. Commands between services leave them out.

function field<T>(spec: FieldSpec, description?: string, example?: T): Field<T, false> {
  const bare: Field<T, false> = { spec, optional: false, nullable: false };
  return description === undefined ? bare : describe(bare, description, example);
}

/** A string for people: trimmed, its length counted in Unicode code points. */
export const text = (min_code_points: number, max_code_points: number, description?: string, example?: string) =>
  field({ kind: 'text', min_code_points, max_code_points }, description, example);

/** A string for programs: taken verbatim, its length counted in Unicode code points. */
export const opaque = (max_code_points: number, description?: string, example?: string) =>
  field({ kind: 'opaque', max_code_points }, description, example);

/** One of a closed set of lower-case words, accepted in any letter case. */
export const enumeration = <const V extends readonly string[]>(values: V, description?: string, example?: V[number]) =>
  field<V[number]>({ kind: 'enumeration', values }, description, example);

export const integer = (min: number, max: number, description?: string, example?: number) =>
  field({ kind: 'integer', min, max }, description, example);

export const boolean = (description?: string, example?: boolean) => field({ kind: 'boolean' }, description, example);

/** An amount in a request: a JSON number in the currency's major unit, above zero. Its precision is checked later. */
export const amount = (description?: string, example?: number) => field({ kind: 'amount' }, description, example);

/** As amount(), or zero. */
export const amountOrZero = (description?: string, example?: number) =>
  field<number>({ kind: 'amount', or_zero: true }, description, example);

/** A percentage from 0.01 to 100, with at most two decimals. */
export const percent = (description?: string, example?: number) => field({ kind: 'percent' }, description, example);

/** An amount in an answer: a JSON number in the currency's major unit, of any sign. */
export const money = (description?: string, example?: number) => field({ kind: 'money' }, description, example);

/** An amount between services: a safe integer of minor units, of any sign. */
export const minor = (description?: string, example?: number) => field({ kind: 'minor' }, description, example);

/** A UUID. In requests, a malformed one is read as NO_SUCH_ID, which no object has. */
export const id = (description?: string, example?: string) => field({ kind: 'id' }, description, example);

/** A day, `YYYY-MM-DD`. */
export const date = (description?: string, example?: string) => field({ kind: 'date' }, description, example);

/** An instant, RFC 3339 in UTC with milliseconds. Requests may have any offset and precision. */
export const instant = (description?: string, example?: string) => field({ kind: 'instant' }, description, example);

/** In a request, a day or an instant: `YYYY-MM-DD`, or RFC 3339 as in `instant`. */
export const dayOrInstant = (description?: string, example?: string) =>
  field({ kind: 'day_or_instant' }, description, example);

/** An ISO 4217 code with minor units, accepted in any letter case, kept in upper case. */
export const currency = (description?: string, example?: string) => field({ kind: 'currency' }, description, example);

/** The IANA name of a time zone. */
export const timeZone = (description?: string, example?: string) => field({ kind: 'time_zone' }, description, example);

export const boundedList = <F extends Field>(
  of: F,
  min_items: number,
  max_items: number,
  description?: string,
  example?: Value<F>[],
) => field({ kind: 'list', of, min_items, max_items }, description, example);

export const list = <F extends Field>(of: F, description?: string, example?: Value<F>[]) =>
  boundedList(of, 0, UNBOUNDED, description, example);

export const object = <S extends Fields>(fields: S) => field<Values<S>>({ kind: 'object', fields });

/** An object whose schema has a name among the document's components. */
export const record = <S extends Fields>(component: string, fields: S) => name(component, object(fields));

/** An object with at least one of these members. */
export const someOf = <S extends Fields>(fields: S) => field<Values<S>>({ kind: 'object', fields, min_members: 1 });

/** An object in which the value of one member decides the form of another. */
export const withShapes = <S extends Fields>(fields: S, shapes: Shapes) =>
  field<Values<S>>({ kind: 'object', fields, shapes });

/**
 * The names of members of `texts`, as a pattern that all languages have: without control characters. The check also refuses
 * `__proto__` and what UTF-8 cannot encode.
 */
export const TEXT_NAME_PATTERN = String.raw`^[^\u0000-\u001f\u007f-\u009f]*$`;

/** An object of texts. Names are taken verbatim; texts are trimmed, and may be empty. Lengths are counted in Unicode code points. */
export const texts = (
  limits: { max_members: number; max_name_code_points: number; max_code_points: number },
  description?: string,
  example?: Record<string, string>,
) => field<Record<string, string>>({ kind: 'texts', ...limits }, description, example);

/** A JSON object whose members depend on a sibling. The service that receives it checks it. */
export const free = (shape?: Field) => field<Record<string, unknown>>({ kind: 'free', shape });

/** Makes the member optional. */
export const optional = <T>(of: Field<T>): Field<T, true> => ({ ...of, optional: true });

/** Makes the member optional, with the value `fallback` if it is absent. */
export const withDefault = <T>(of: Field<T>, fallback: T): Field<T, false> => ({ ...of, optional: false, fallback });

/**
 * Allows null (in answers).
 * @param example replaces the field's own
 */
export const nullable = <T, O extends boolean>(of: Field<T, O>, example?: T | null): Field<T | null, O> => ({
  ...of,
  nullable: true,
  ...(example === undefined ? {} : { example }),
});

/** Adds a description and an example, for readers of the document. */
export const describe = <F extends Field>(of: F, description: string, example?: Value<F>): F => ({
  ...of,
  description,
  ...(example === undefined ? {} : { example }),
});

/** Leaves the optional member out of examples of an object. */
export const notInExamples = <T>(of: Field<T, true>): Field<T, true> => ({ ...of, isNotInExamples: true });

/** Gives the schema a name among the document's components. */
export const name = <F extends Field>(component: string, of: F): F => ({ ...of, component });

/** Returns the same members, each with its default in `defaults`. */
export const withDefaults = <S extends Fields>(fields: S, defaults: Values<S>): S =>
  mapFields(fields, (of, member) => withDefault(of, (defaults as Record<string, unknown>)[member])) as S;

/** Returns the same members, all of them optional, for changes. */
export const allOptional = <S extends Fields>(fields: S) =>
  mapFields(fields, optional) as { [K in keyof S]: Field<Value<S[K]>, true> };

const mapFields = (fields: Fields, change: (of: Field, name: string) => Field): Fields =>
  Object.fromEntries(Object.entries(fields).map(([name, of]) => [name, change(of, name)]));

/** The nil UUID, which no row has. Malformed ids are read as this one. */
export const NO_SUCH_ID = '00000000-0000-0000-0000-000000000000';
