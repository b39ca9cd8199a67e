import { expect } from 'chai';
import fc from 'fast-check';
import { id, opaque, text } from '../../../lib/schema/fields.ts';
import {
  idempotencyKey,
  isPlainJson,
  preferredLanguage,
  readQuery,
  resourcePath,
  validRequestId,
} from '../../../services/gateway/http/head.rules.ts';

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
    expect(validRequestId('a'.repeat(128))).to.equal('a'.repeat(128));
    for (const id of [undefined, '', 'a'.repeat(129), 'a b', 'é', 'a\r\nX: y', ['a', 'b']]) {
      expect(validRequestId(id)).to.equal(undefined);
    }
  });
});

describe('the path that an Idempotency-Key stands for', () => {
  const fields = { id: id(), code: text(1, 9), wallet: opaque(9) };

  it('is the same for every spelling of an id, and for a text with blanks around it', () => {
    fc.assert(
      fc.property(fc.uuid(), fc.string({ unit: 'grapheme' }), (uuid, code) => {
        const path = (id: string, code: string) => resourcePath('/a/:id/b/:code', { id, code }, fields);
        expect(path(uuid.toUpperCase(), ` ${code} `)).to.equal(path(uuid, code));
      }),
    );
  });

  it('differs for whatever may be different things', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'grapheme' }), { minLength: 4, maxLength: 4 }), ([a, b, c, d]) => {
        const path = (wallet = '', other = '') => resourcePath('/:wallet/:other', { wallet, other }, fields);
        expect(path(a, b) === path(c, d)).to.equal(a === c && b === d);
      }),
    );
  });
});

describe('an Idempotency-Key', () => {
  it('is 1 to 255 visible ASCII characters, once', () => {
    expect(idempotencyKey(undefined)).to.equal(undefined);
    expect(idempotencyKey(['!~'])).to.equal('!~');
    expect(idempotencyKey(['x'.repeat(255)])).to.have.length(255);
    for (const values of [[''], ['a b'], ['x'.repeat(256)], ['é'], ['\u007f'], ['a', 'a']]) {
      expect(() => idempotencyKey(values), values.join())
        .to.throw()
        .with.property('type', 'validation_failed');
    }
  });
});

describe('the language of an answer', () => {
  it('is the one of ours that the client likes best, English where it likes none', () => {
    const cases: [string | undefined, string][] = [
      [undefined, 'en'],
      ['', 'en'],
      ['*', 'en'],
      ['de, es', 'en'],
      ['fr', 'fr'],
      ['fr-CA', 'fr'],
      ['de, fr;q=0.1', 'fr'],
      ['en-GB, fr', 'fr'],
      ['en, fr', 'en'],
      ['fr;q=0.5, en;q=0.6', 'en'],
      ['fr;q=0', 'en'],
      ['not a header', 'en'],
    ];
    for (const [header, language] of cases) expect(preferredLanguage(header), header).to.equal(language);
  });

  it('is always one of ours', () => {
    fc.assert(fc.property(fc.string(), (header) => ['en', 'fr'].includes(preferredLanguage(header))));
  });
});
