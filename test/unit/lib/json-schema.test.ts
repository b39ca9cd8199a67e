import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { expect } from 'chai';
import fc from 'fast-check';
import {
  amount,
  boundedList,
  boolean,
  currency,
  date,
  defaulting,
  described,
  enumeration,
  free,
  id,
  integer,
  list,
  money,
  named,
  nullable,
  object,
  opaque,
  optional,
  someOf,
  text,
} from '../../../lib/schema/fields.ts';
import type { Field } from '../../../lib/schema/fields.ts';
import { exampleOf } from '../../../lib/schema/examples.ts';
import { objectSchema, schemaOf } from '../../../lib/schema/json-schema.ts';
import type { Components, Direction, JsonSchema } from '../../../lib/schema/json-schema.ts';
import { rulesOf } from '../../../lib/schema/rules.ts';
import { contractValidator } from '../../../lib/schema/validator.ts';

const components = (direction: Direction): Components => ({ direction, schemas: new Map() });
const ajv = new Ajv2020({ strict: false });
addFormats.default(ajv);

function fits(field: Field, direction: Direction, value: unknown): boolean {
  const into = components(direction);
  const schema = schemaOf(field, into, 'It');
  return ajv.validate({ ...schema, components: { schemas: Object.fromEntries(into.schemas) } }, value);
}

function passesChecks(field: Field, value: unknown): boolean {
  const check = contractValidator().compile({ $$strict: true, ...rulesOf({ it: field }) }) as (of: object) => unknown;
  return check({ it: structuredClone(value) }) === true;
}

/** Fields of requests, with values of which some are right. Ids and letter case are the document's words alone. */
const samples: [string, Field, fc.Arbitrary<unknown>][] = [
  // What is trimmed, and what no text can hold, is said in words.
  ['text', text(1, 5), fc.string({ unit: fc.constantFrom('a', 'é', '👍'), maxLength: 8 })],
  ['opaque', opaque(5), fc.string({ unit: fc.constantFrom('a', ' ', '👍'), maxLength: 8 })],
  ['enumeration', enumeration(['a', 'b']), fc.constantFrom('a', 'b', 'c', '')],
  ['integer', integer(1, 20), fc.oneof(fc.integer({ min: -5, max: 30 }), fc.double({ noNaN: true }))],
  ['boolean', boolean(), fc.oneof(fc.boolean(), fc.constant('true'), fc.constant(0))],
  ['amount', amount(), fc.double({ noNaN: true, noDefaultInfinity: true })],
  ['date', date(), fc.constantFrom('2026-02-28', '2026-02-30', '2028-02-29', '2026-1-1', 'today', '2026-01-01T00:00Z')],
  ['currency', currency(), fc.constantFrom('XAF', 'EUR', '', 'francs')],
  ['list', boundedList(integer(1, 9), 1, 2), fc.array(fc.integer({ min: 0, max: 10 }), { maxLength: 4 })],
  [
    'object',
    object({ n: integer(1, 9), m: optional(integer(1, 9)), d: defaulting(integer(1, 9), 3) }),
    fc.dictionary(fc.constantFrom('n', 'm', 'd', 'x'), fc.integer({ min: 0, max: 10 })),
  ],
  [
    'object that is not empty',
    someOf({ n: optional(integer(1, 9)), in: optional(someOf({ m: optional(integer(1, 9)) })) }),
    fc.record({ n: fc.integer({ min: 0, max: 9 }), in: fc.constantFrom({}, { m: 1 }, { x: 1 }) }, { requiredKeys: [] }),
  ],
  ['free', free(), fc.constantFrom({}, { a: 1 }, [], 'a', null)],
];

describe('the JSON Schema of a field', () => {
  for (const [kind, field, values] of samples) {
    it(`takes the values that the checks take: ${kind}`, () => {
      fc.assert(
        fc.property(fc.oneof(values, fc.constantFrom(null, 7, 'seven', [], {}, true)), (value) => {
          expect(fits(field, 'request', value)).to.equal(passesChecks(field, value));
        }),
      );
    });
  }

  it('lets nulls pass where the field does, also of enumerations and named objects', () => {
    const answers = [nullable(money()), nullable(enumeration(['a'])), nullable(named('N', object({ a: boolean() })))];
    expect(answers.map((field) => fits(field, 'answer', null))).to.deep.equal([true, true, true]);
    expect(fits(money(), 'answer', null)).to.equal(false);
  });

  it('asks of an answer what a request may leave to its default', () => {
    const fields = { given: id(), maybe: optional(id()), usual: defaulting(integer(1, 9), 3) };
    expect(objectSchema(fields, components('request'), 'It').required).to.deep.equal(['given']);
    expect(objectSchema(fields, components('answer'), 'It').required).to.deep.equal(['given', 'usual']);
  });

  it('names an object once, and apart where requests and answers have it', () => {
    const rules = named('Rules', object({ usual: defaulting(integer(1, 9), 3) }));
    const schemas = new Map<string, JsonSchema>();
    schemaOf(list(rules), { direction: 'answer', schemas }, 'It');
    schemaOf(nullable(rules), { direction: 'answer', schemas }, 'It');
    schemaOf(rules, { direction: 'request', schemas }, 'It');
    expect([...schemas.keys()]).to.deep.equal(['Rules', 'RulesInput']);
  });

  it('names an object that has no name of its own after where it stands', () => {
    const schemas = new Map<string, JsonSchema>();
    const inner = object({ total: object({ n: integer(1, 9) }), payouts: list(object({ on: date() })) });
    const schema = schemaOf(inner, { direction: 'answer', schemas }, 'Preview');
    expect(schema).to.deep.equal({ $ref: '#/components/schemas/Preview' });
    expect([...schemas.keys()]).to.deep.equal(['Preview', 'PreviewTotal', 'PreviewPayout']);
    const order = nullable(enumeration(['join', 'draw']));
    expect(schemaOf(order, { direction: 'answer', schemas }, 'CycleOrder')).to.deep.equal({
      anyOf: [{ $ref: '#/components/schemas/CycleOrder' }, { type: 'null' }],
    });
  });

  it('is closed in requests and open in answers', () => {
    expect(objectSchema({ n: boolean() }, components('request'), 'It')).to.include({ additionalProperties: false });
    expect(objectSchema({ n: boolean() }, components('answer'), 'It')).to.not.have.property('additionalProperties');
  });

  it('shows the description, and an example that fits', () => {
    const field = described(integer(1, 9), 'How many.', 4);
    expect(schemaOf(field, components('answer'), 'It')).to.deep.include({ description: 'How many.', examples: [4] });
    expect(exampleOf(object({ n: field, on: date() }), 'answer')).to.deep.equal({ n: 4, on: '2026-10-05' });
  });
});
