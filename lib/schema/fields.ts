/**
 * The vocabulary in which contracts are written. A field says what a value is; the checks at run time (rules.ts) and
 * the TypeScript types (Value, Values) both come from it, so that they cannot drift apart.
 */

export type FieldSpec =
  | { kind: 'text'; min_code_points: number; max_code_points: number }
  | { kind: 'opaque'; max_code_points: number }
  | { kind: 'enumeration'; values: readonly string[] }
  | { kind: 'integer'; min: number; max: number }
  | { kind: 'boolean' }
  | { kind: 'amount' }
  | { kind: 'money' }
  | { kind: 'minor' }
  | { kind: 'id' }
  | { kind: 'date' }
  | { kind: 'instant' }
  | { kind: 'currency' }
  | { kind: 'list'; of: Field; min_items: number; max_items: number }
  /** `shapes`: as which it occurs, for the document; checks do not read it. */
  | { kind: 'object'; fields: Fields; min_members?: number; shapes?: Shapes }
  /** `shapes`: what it can look like, for the document; checks do not read it. */
  | { kind: 'free'; shapes?: readonly Field[] };

/** Objects that are told apart by the value of a member that they all have; each is named. */
export interface Shapes {
  readonly by: string;
  readonly of: Readonly<Record<string, Field>>;
}

export interface Field<T = unknown, O extends boolean = boolean> {
  readonly spec: FieldSpec;
  /** Whether the member may be absent. */
  readonly optional: O;
  /** Whether the value may be null: in answers only, requests never take null. */
  readonly nullable: boolean;
  /** What an absent member means. */
  readonly fallback?: T | undefined;
  /** What it means, for the document: a sentence or two in Markdown. */
  readonly description?: string;
  /** A value that it could have, for the document. */
  readonly example?: unknown;
  /** The name of its schema among the document's components: objects that appear in several places have one. */
  readonly component?: string;
  /** Carries the type; never present at run time. */
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

function field<T>(spec: FieldSpec): Field<T, false> {
  return { spec, optional: false, nullable: false };
}

/** A string for people: trimmed, its length counted in Unicode code points. */
export const text = (min_code_points: number, max_code_points: number) =>
  field<string>({ kind: 'text', min_code_points, max_code_points });

/** A string for machines: taken verbatim, its length counted in Unicode code points. */
export const opaque = (max_code_points: number) => field<string>({ kind: 'opaque', max_code_points });

/** One of a closed set of lower-case words, accepted in any letter case. */
export const enumeration = <const V extends readonly string[]>(values: V) =>
  field<V[number]>({ kind: 'enumeration', values });

export const integer = (min: number, max: number) => field<number>({ kind: 'integer', min, max });
export const boolean = () => field<boolean>({ kind: 'boolean' });

/** An amount in a request: a JSON number in the currency's major unit, above zero. Its precision is checked later. */
export const amount = () => field<number>({ kind: 'amount' });

/** An amount in an answer: a JSON number in the currency's major unit, of any sign. */
export const money = () => field<number>({ kind: 'money' });

/** An amount between services: a safe integer of minor units, of any sign. */
export const minor = () => field<number>({ kind: 'minor' });

/** A UUID. In requests an ill-formed one is read as NO_SUCH_ID: it names nothing (contract, section 1). */
export const id = () => field<string>({ kind: 'id' });

/** A day, `YYYY-MM-DD`. */
export const date = () => field<string>({ kind: 'date' });

/** An instant, RFC 3339 in UTC with milliseconds. */
export const instant = () => field<string>({ kind: 'instant' });

/** An ISO 4217 code with minor units, accepted in any letter case, held in upper case. */
export const currency = () => field<string>({ kind: 'currency' });

export const list = <F extends Field>(of: F, min_items = 0, max_items = Number.MAX_SAFE_INTEGER) =>
  field<Value<F>[]>({ kind: 'list', of, min_items, max_items });

export const object = <S extends Fields>(fields: S) => field<Values<S>>({ kind: 'object', fields });

/** An object of which at least one member has to be there. */
export const someOf = <S extends Fields>(fields: S) => field<Values<S>>({ kind: 'object', fields, min_members: 1 });

/** An object one member of which decides what another one holds. */
export const shaped = <S extends Fields>(fields: S, shapes: Shapes) =>
  field<Values<S>>({ kind: 'object', fields, shapes });

/** A JSON object whose members depend on a sibling: whoever takes it checks it. */
export const free = (shapes: readonly Field[] = []) => field<Record<string, unknown>>({ kind: 'free', shapes });

/** The member may be absent. */
export const optional = <T>(of: Field<T>): Field<T, true> => ({ ...of, optional: true });

/** The member may be absent, and then means `fallback`. */
export const defaulting = <T>(of: Field<T>, fallback: T): Field<T, false> => ({ ...of, optional: false, fallback });

/** The value may be null (in answers). */
export const nullable = <T, O extends boolean>(of: Field<T, O>): Field<T | null, O> => ({ ...of, nullable: true });

/** Says what the value means, and shows one that it could have: for readers of the document. */
export const described = <F extends Field>(of: F, description: string, example?: Value<F>): F => ({
  ...of,
  description,
  ...(example === undefined ? {} : { example }),
});

/** Gives the schema a name among the document's components. */
export const named = <F extends Field>(component: string, of: F): F => ({ ...of, component });

/** What an ill-formed id is read as: the nil UUID, which no row has. */
export const NO_SUCH_ID = '00000000-0000-0000-0000-000000000000';
