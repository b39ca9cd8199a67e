import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { expect } from 'chai';
import fc from 'fast-check';
import { exampleOf } from '../../../lib/schema/examples.ts';
import * as t from '../../../lib/schema/fields.ts';
import { objectSchema, schemaOf, type Components, type Direction } from '../../../lib/schema/json-schema.ts';
import { rulesOf } from '../../../lib/schema/rules.ts';
import { contractValidator } from '../../../lib/schema/validator.ts';

const components = (direction: Direction): Components => ({ direction, schemas: new Map() });
const ajv = new Ajv2020({ strict: false });
addFormats.default(ajv);

function fits(field: t.Field, direction: Direction, value: unknown): boolean {
  const into = components(direction);
  const schema = schemaOf(field, into, 'It');
  return ajv.validate({ ...schema, components: { schemas: Object.fromEntries(into.schemas) } }, value);
}

function passesChecks(field: t.Field, value: unknown): boolean {
  const check = contractValidator().compile({ $$strict: true, ...rulesOf({ it: field }) }) as (of: object) => unknown;
  return check({ it: structuredClone(value) }) === true;
}

const digit = t.integer(1, 9);
const digits = fc.integer({ min: 0, max: 10 });

/** Valid and invalid instants. */
const INSTANTS = [
  '2026-02-28T10:00:00Z',
  '2026-02-28t10:00:00.123456789-23:59',
  '2026-12-31T23:59:60Z',
  '2026-02-28T10:00:60Z',
  '2026-02-28T24:00:00Z',
  '2026-02-30T10:00:00Z',
  '2026-02-28T10:00:00',
  '2026-02-28T10:00Z',
  '2026-02-28T10:00:00+24:00',
  'now',
];

/** Fields of requests, with valid and invalid values. The document describes ids, trimming and letter case in words. */
const samples: [string, t.Field, fc.Arbitrary<unknown>][] = [
  ['text', t.text(1, 5), fc.string({ unit: fc.constantFrom('a', 'é', '👍'), maxLength: 8 })],
  ['opaque', t.opaque(5), fc.string({ unit: fc.constantFrom('a', ' ', '👍'), maxLength: 8 })],
  ['enumeration', t.enumeration(['a', 'b']), fc.constantFrom('a', 'b', 'c', '')],
  ['integer', t.integer(1, 20), fc.oneof(fc.integer({ min: -5, max: 30 }), fc.double({ noNaN: true }))],
  ['boolean', t.boolean(), fc.oneof(fc.boolean(), fc.constant('true'), fc.constant(0))],
  ['amount', t.amount(), fc.double({ noNaN: true, noDefaultInfinity: true })],
  [
    'date',
    t.date(),
    fc.constantFrom('2026-02-28', '2026-02-30', '2028-02-29', '2026-1-1', 'today', '2026-01-01T00:00Z'),
  ],
  ['instant', t.instant(), fc.constantFrom(...INSTANTS)],
  ['day or instant', t.dayOrInstant(), fc.constantFrom('2026-02-28', '2026-02-30', '2026-1-1', ...INSTANTS)],
  ['currency', t.currency(), fc.constantFrom('XAF', 'EUR', '', 'francs')],
  ['list', t.boundedList(digit, 1, 2), fc.array(digits, { maxLength: 4 })],
  [
    'object',
    t.object({ n: digit, m: t.optional(digit), d: t.withDefault(digit, 3) }),
    fc.dictionary(fc.constantFrom('n', 'm', 'd', 'x'), digits),
  ],
  [
    'object that is not empty',
    t.someOf({ n: t.optional(digit), in: t.optional(t.someOf({ m: t.optional(digit) })) }),
    fc.record({ n: fc.integer({ min: 0, max: 9 }), in: fc.constantFrom({}, { m: 1 }, { x: 1 }) }, { requiredKeys: [] }),
  ],
  [
    'texts',
    t.texts({ max_members: 2, max_name_code_points: 2, max_code_points: 2 }),
    fc.dictionary(
      fc.string({ unit: fc.constantFrom('a', '👍', '\n', '\u0085', ' '), maxLength: 3 }),
      fc.oneof(fc.string({ unit: fc.constantFrom('a', '👍'), maxLength: 3 }), fc.constantFrom(null, 7)),
      { maxKeys: 3, noNullPrototype: true },
    ),
  ],
  ['free', t.free(), fc.constantFrom({}, { a: 1 }, [], 'a', null)],
];

describe('the JSON Schema of a field', () => {
  for (const [kind, field, values] of samples) {
    it(`accepts exactly the values that the checks accept: ${kind}`, () => {
      fc.assert(
        fc.property(fc.oneof(values, fc.constantFrom(null, 7, 'seven', [], {}, true)), (value) => {
          expect(fits(field, 'request', value)).to.equal(passesChecks(field, value));
        }),
      );
    });
  }

  it('accepts null for a nullable field, even for enumerations and named objects', () => {
    const fields: t.Field[] = [t.money(), t.enumeration(['a']), t.record('N', { a: t.boolean() })];
    expect(fields.filter((field) => !fits(t.nullable(field), 'answer', null))).to.deep.equal([]);
    expect(fits(t.money(), 'answer', null)).to.equal(false);
  });

  it('requires fields with a default in answers only, and is closed in requests only', () => {
    const fields = { given: t.id(), maybe: t.optional(t.id()), usual: t.withDefault(digit, 3) };
    const [request, answer] = [components('request'), components('answer')].map((of) => objectSchema(fields, of, 'It'));
    expect(request).to.deep.include({ required: ['given'], additionalProperties: false });
    expect(answer)
      .to.deep.include({ required: ['given', 'usual'] })
      .and.not.have.property('additionalProperties');
  });

  it('names each object, with a separate name in requests, and after its place if it has no name', () => {
    const { schemas } = components('answer');
    const rules = t.record('Rules', { usual: t.withDefault(digit, 3) });
    const inner = t.object({ total: t.object({ n: digit }), payouts: t.list(t.object({ on: t.date() })) });
    for (const field of [t.list(rules), t.nullable(rules), inner])
      schemaOf(field, { direction: 'answer', schemas }, 'It');
    schemaOf(rules, { direction: 'request', schemas }, 'It');
    expect([...schemas.keys()]).to.deep.equal(['Rules', 'It', 'ItTotal', 'ItPayout', 'RulesInput']);
    const order = t.nullable(t.enumeration(['join', 'draw']));
    expect(schemaOf(order, { direction: 'answer', schemas }, 'CycleOrder')).to.deep.equal({
      anyOf: [{ $ref: '#/components/schemas/CycleOrder' }, { type: 'null' }],
    });
  });

  it('shows the description and a valid example', () => {
    const field = t.integer(1, 9, 'How many.', 4);
    expect(schemaOf(field, components('answer'), 'It')).to.deep.include({ description: 'How many.', examples: [4] });
    expect(exampleOf(t.object({ n: field, on: t.date() }), 'answer')).to.deep.equal({ n: 4, on: '2026-10-05' });
  });
});
