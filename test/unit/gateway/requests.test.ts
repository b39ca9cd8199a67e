import { expect } from 'chai';
import fc from 'fast-check';
import { isPlainJson } from '../../../services/gateway/domain/media-type.ts';
import { readQuery } from '../../../services/gateway/domain/query.ts';
import { saneRequestId, saneTraceparent } from '../../../services/gateway/domain/request-id.ts';

describe('the type of a body', () => {
  it('is JSON in UTF-8, however it is spelt', () => {
    for (const type of [
      'application/json',
      'Application/Json ; Charset="utf-8"',
      'application/json;charset=UTF-8;v=1',
    ]) {
      expect(isPlainJson(type, undefined), type).to.equal(true);
      expect(isPlainJson(type, 'identity'), type).to.equal(true);
      expect(isPlainJson(type, 'gzip'), type).to.equal(false);
    }
  });

  it('is nothing else', () => {
    for (const type of [undefined, '', 'text/json', 'application/jsonp', 'application/json;charset=latin1']) {
      expect(isPlainJson(type, undefined), type).to.equal(false);
    }
  });
});

describe('query parameters', () => {
  it('are read by name, and given twice they make a list that no parameter takes', () => {
    expect(readQuery('a=1&b=%20x&c')).to.deep.equal({ a: '1', b: ' x', c: '' });
    expect(readQuery('a=1&a=2&a=3')).to.deep.equal({ a: ['1', '2', '3'] });
  });

  it('never touch the prototype, whatever they are called', () => {
    fc.assert(
      fc.property(
        fc.constantFrom('__proto__', 'constructor', 'toString', 'hasOwnProperty'),
        fc.string(),
        (name, value) => {
          const query = readQuery(new URLSearchParams([[name, value]]).toString());
          expect(Object.keys(query)).to.deep.equal([name]);
          expect(Object.getPrototypeOf(query)).to.equal(Object.prototype);
        },
      ),
    );
  });
});

describe('a request id', () => {
  it('is echoed when it is at most 128 visible ASCII characters', () => {
    expect(saneRequestId('a'.repeat(128))).to.equal('a'.repeat(128));
    for (const id of [undefined, '', 'a'.repeat(129), 'a b', 'é', 'a\r\nX: y', ['a', 'b']]) {
      expect(saneRequestId(id)).to.equal(undefined);
    }
  });

  it('goes with a trace only if that is well-formed', () => {
    const trace = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
    expect(saneTraceparent(trace)).to.equal(trace);
    expect(saneTraceparent(trace.replace(/4bf9.*4736/, '0'.repeat(32)))).to.equal(undefined);
    expect(saneTraceparent(trace.toUpperCase())).to.equal(undefined);
  });
});
