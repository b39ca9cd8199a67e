import { expect } from 'chai';
import fc from 'fast-check';
import { problemExtras, problemCode, type FieldComplaint } from '../../../lib/errors/problem.ts';
import { amount, integer } from '../../../lib/schema/fields.ts';
import { readExactJson } from '../../../services/gateway/http/read-body.ts';

const FIELDS = { amount: amount(), count: integer(1, 9) };

/** Returns the value of a body, or the code of its refusal and the fields that the refusal names. */
function read(text: string): unknown {
  try {
    return readExactJson(Buffer.from(text), FIELDS);
  } catch (error) {
    const { errors = [] } = problemExtras(error) as { errors?: FieldComplaint[] };
    return [problemCode(error), ...errors.map(({ pointer }) => pointer)].join(' ');
  }
}

describe('the JSON of a body', () => {
  it('is read as by JSON.parse if its numbers are exact', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 5 })), (value) => {
        const text = JSON.stringify(value);
        expect(read(text)).to.deep.equal(JSON.parse(text));
      }),
    );
  });

  it('may contain every number of at most 15 digits in any notation', () => {
    fc.assert(
      fc.property(fc.bigInt(0n, 999_999_999_999_999n), fc.integer({ min: 0, max: 20 }), (units, scale) => {
        const digits = units.toString().padStart(scale + 1, '0');
        const decimal = scale === 0 ? digits : `${digits.slice(0, -scale)}.${digits.slice(-scale)}`;
        for (const text of [decimal, `${units.toString()}e-${String(scale)}`, `${units.toString()}.000E+2`]) {
          expect(read(`{"a":${text}}`), text).to.have.property('a');
        }
      }),
    );
  });

  it('is refused with the place of each number that a double would round', () => {
    const long = `1.${'0'.repeat(60_000)}1`;
    const numbers = ['9007199254740993', '0.1234567890123456789', '10000.0000000000000001', '1e400', '-1e-400', long];
    for (const number of numbers) {
      const body = (name: string) => `{"${name}":${number},"b":[1,{"c/d":${number}}]}`;
      expect(read(body('count')), number.slice(0, 30)).to.equal('validation_failed /count /b/1/c~1d');
      expect(read(body('amount')), number.slice(0, 30)).to.equal('amount_precision /amount');
    }
  });

  it('is refused with the place of such a number in a member that every object has', () => {
    for (const name of ['__proto__', 'constructor', 'toString'])
      expect(read(`{"${name}":1e400}`)).to.equal(`validation_failed /${name}`);
  });

  it('is refused in few words, however many such numbers a member with a long name has', () => {
    const numbers = Array<string>(5_000).fill('1e999');
    const refusal = read(`{"${'/'.repeat(30_000)}": [${numbers.join(',')}], "own": {"a": 1e999}}`);
    expect(refusal).to.match(/^validation_failed( \/\d+)+$/);
    expect(String(refusal)).to.have.length.below(1_000);
  });

  it('may contain zeros and doubles in their shortest form', () => {
    for (const number of ['0', '-0', '0.000', '0e99', '0.30000000000000004', '1e23', '9007199254740992', '1.50']) {
      expect(read(`{"a":${number}}`), number).to.deep.equal({ a: Number(number) });
    }
  });

  it('keeps the last of two members with the same name', () => {
    expect(read('{"a":1,"a":2}')).to.deep.equal({ a: 2 });
  });

  it('treats a member named __proto__ as an ordinary member', () => {
    const value = read('{"__proto__":{"admin":true}}') as { admin?: unknown };
    expect(Object.getPrototypeOf(value)).to.equal(Object.prototype);
    expect(Object.keys(value)).to.deep.equal(['__proto__']);
    expect(value.admin).to.equal(undefined);
  });

  it('is refused if it is not an object or nests too deeply', () => {
    const nested = (depth: number) => `{"a":${'['.repeat(depth)}${']'.repeat(depth)}}`;
    for (const text of ['', ' ', '[]', '1', 'null', '"a"', '{', '{"a":1,}', "{'a':1}", nested(33), nested(32_000)]) {
      expect(read(text)).to.equal('malformed_json');
    }
    expect(read(nested(20))).to.have.property('a');
  });

  it('is refused if it is not UTF-8', () => {
    const refused = () => readExactJson(Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d]), FIELDS);
    expect(refused).to.throw().with.property('type', 'malformed_json');
  });
});
