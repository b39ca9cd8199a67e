/** Example values for the documents: a field's own example, or one that is built from its members' examples. */
import type { Field, Fields, FieldSpec, Value, Values } from './fields.ts';
import type { Direction } from './json-schema.ts';

const byKind: { [K in FieldSpec['kind']]: (spec: Extract<FieldSpec, { kind: K }>, direction: Direction) => unknown } = {
  text: () => 'text',
  opaque: () => 'text',
  enumeration: ({ values }) => values[0],
  integer: ({ min }) => Math.max(min, 1),
  boolean: () => true,
  amount: () => 10_000,
  percent: () => 5,
  money: () => 10_000,
  minor: () => 10_000,
  id: () => '0199b2a4-6c00-7000-8000-000000000000',
  date: () => '2026-10-05',
  instant: () => '2026-10-05T18:30:00.000Z',
  day_or_instant: () => '2026-10-05',
  currency: () => 'XAF',
  time_zone: () => 'Africa/Douala',
  list: ({ of }, direction) => [exampleOf(of, direction)],
  object: ({ fields }, direction) => exampleOfFields(fields, direction),
  texts: () => ({ name: 'text' }),
  free: ({ shape }, direction) => (shape === undefined ? {} : exampleOf(shape, direction)),
};

/** Returns a value that the field can have. */
export function exampleOf<F extends Field>(field: F, direction: Direction): Value<F> {
  if (field.example !== undefined) return field.example as Value<F>;
  if (direction === 'request' && field.fallback !== undefined) return field.fallback as Value<F>;
  const build = byKind[field.spec.kind] as (spec: FieldSpec, direction: Direction) => unknown;
  return build(field.spec, direction) as Value<F>;
}

/** Returns an object with an example of each of these members but those that examples leave out; `given` replaces some. */
export function exampleOfFields<S extends Fields>(
  fields: S,
  direction: Direction,
  given: Partial<Values<S>> = {},
): Values<S> {
  const shown = Object.entries(fields).filter(([, field]) => field.isNotInExamples !== true);
  const examples = shown.map(([name, field]) => [name, exampleOf(field, direction)]);
  return { ...Object.fromEntries(examples), ...given } as Values<S>;
}
