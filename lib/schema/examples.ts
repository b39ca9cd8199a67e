/** Example values of fields, for the documents: a field's own example, or one made of those of its parts. */
import type { Field, Fields, FieldSpec } from './fields.ts';
import type { Direction } from './json-schema.ts';

const byKind: { [K in FieldSpec['kind']]: (spec: Extract<FieldSpec, { kind: K }>, direction: Direction) => unknown } = {
  text: () => 'text',
  opaque: () => 'text',
  enumeration: ({ values }) => values[0],
  integer: ({ min }) => Math.max(min, 1),
  boolean: () => true,
  amount: () => 10_000,
  money: () => 10_000,
  minor: () => 10_000,
  id: () => '0199b2a4-6c00-7000-8000-000000000000',
  date: () => '2026-10-05',
  instant: () => '2026-10-05T18:30:00.000Z',
  currency: () => 'XAF',
  list: ({ of }, direction) => [exampleOf(of, direction)],
  object: ({ fields }, direction) => exampleOfFields(fields, direction),
  free: ({ shapes = [] }, direction) => (shapes[0] === undefined ? {} : exampleOf(shapes[0], direction)),
};

/** A value that the field could have. */
export function exampleOf(field: Field, direction: Direction): unknown {
  if (field.example !== undefined) return field.example;
  if (direction === 'request' && field.fallback !== undefined) return field.fallback;
  const build = byKind[field.spec.kind] as (spec: FieldSpec, direction: Direction) => unknown;
  return build(field.spec, direction);
}

/** An object with an example for each of these members. */
export function exampleOfFields(fields: Fields, direction: Direction): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, exampleOf(field, direction)]));
}
