import { expect } from 'chai';
import fc from 'fast-check';
import { readExactJson } from '../../../services/gateway/http/body.rules.ts';

describe('the JSON of a body', () => {
  it('is read as JSON.parse reads it, whenever its numbers are exact', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 5 })), (value) => {
        const text = JSON.stringify(value);
        expect(readExactJson(text)).to.deep.equal({ value: JSON.parse(text) as unknown });
      }),
    );
  });

  it('takes every number of at most 15 digits, however it is written', () => {
    fc.assert(
      fc.property(fc.bigInt(0n, 999_999_999_999_999n), fc.integer({ min: 0, max: 20 }), (units, scale) => {
        const digits = units.toString().padStart(scale + 1, '0');
        const decimal = scale === 0 ? digits : `${digits.slice(0, -scale)}.${digits.slice(-scale)}`;
        for (const text of [decimal, `${units.toString()}e-${String(scale)}`, `${units.toString()}.000E+2`]) {
          expect(readExactJson(`{"a":${text}}`), text).to.have.property('value');
        }
      }),
    );
  });

  it('reports each number that a double would round, where it is', () => {
    for (const number of ['9007199254740993', '0.1234567890123456789', '10000.0000000000000001', '1e400', '-1e-400']) {
      expect(readExactJson(`{"a":${number},"b":[1,{"c/d":${number}}]}`), number).to.deep.equal({
        inexact: ['/a', '/b/1/c~1d'],
      });
    }
  });

  it('takes zeros and doubles in their shortest form', () => {
    for (const number of ['0', '-0', '0.000', '0e99', '0.30000000000000004', '1e23', '9007199254740992', '1.50']) {
      expect(readExactJson(`{"a":${number}}`), number).to.deep.equal({ value: { a: Number(number) } });
    }
  });

  it('counts the last of two members of one name', () => {
    expect(readExactJson('{"a":1,"a":2}')).to.deep.equal({ value: { a: 2 } });
  });

  it('keeps a member called __proto__ one among others', () => {
    const reading = readExactJson('{"__proto__":{"admin":true}}');
    const value = 'value' in reading ? reading.value : {};
    expect(Object.getPrototypeOf(value)).to.equal(Object.prototype);
    expect(Object.keys(value)).to.deep.equal(['__proto__']);
    expect((value as { admin?: unknown }).admin).to.equal(undefined);
  });

  it('refuses what is no object, or nests beyond reason', () => {
    const nested = (depth: number) => `{"a":${'['.repeat(depth)}${']'.repeat(depth)}}`;
    for (const text of ['', ' ', '[]', '1', 'null', '"a"', '{', '{"a":1,}', "{'a':1}", nested(33), nested(32_000)]) {
      expect(readExactJson(text)).to.deep.equal({ malformed: true });
    }
    expect(readExactJson(nested(20))).to.have.property('value');
  });
});
