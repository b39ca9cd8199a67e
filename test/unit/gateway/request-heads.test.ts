import { expect } from 'chai';
import fc from 'fast-check';
import { id, opaque, text } from '../../../lib/schema/fields.ts';
import {
  idempotencyKey,
  ifMatch,
  preferredLanguage,
  readQuery,
  resourcePath,
  validRequestId,
} from '../../../services/gateway/http/head.rules.ts';

describe('the head of a request', () => {
  it('has query parameters by name, with a list for a repeated name and without effect on the prototype', () => {
    expect(readQuery('a=1&b=%20x&c&d=1&d=2')).to.deep.equal({ a: '1', b: ' x', c: '', d: ['1', '2'] });
    const names = fc.constantFrom('__proto__', 'constructor', 'toString', 'hasOwnProperty');
    fc.assert(
      fc.property(names, fc.string(), (name, value) => {
        const query = readQuery(new URLSearchParams([[name, value]]).toString());
        expect(Object.keys(query)).to.deep.equal([name]);
        expect(Object.getPrototypeOf(query)).to.equal(Object.prototype);
      }),
    );
  });

  it('has a request id of at most 128 visible ASCII characters', () => {
    expect(validRequestId('a'.repeat(128))).to.equal('a'.repeat(128));
    for (const header of [undefined, '', 'a'.repeat(129), 'a b', 'é', 'a\r\nX: y', ['a', 'b']]) {
      expect(validRequestId(header)).to.equal(undefined);
    }
  });

  it('has at most one Idempotency-Key, of 1 to 255 visible ASCII characters', () => {
    expect(idempotencyKey(undefined)).to.equal(undefined);
    for (const key of ['!~', 'x'.repeat(255)]) expect(idempotencyKey([key])).to.equal(key);
    for (const values of [[''], ['a b'], ['a\tb'], ['x'.repeat(256)], ['é'], ['\u007f'], ['a', 'a']]) {
      expect(() => idempotencyKey(values), values.join())
        .to.throw()
        .with.property('type', 'validation_failed');
    }
  });

  it('has an If-Match of one or more entity tags, with commas in or between them, or of `*`', () => {
    expect(ifMatch(undefined)).to.equal(undefined);
    for (const header of ['*', ' * ']) expect(ifMatch(header)).to.equal('*');
    for (const [header, tags] of [
      ['"a"', ['"a"']],
      ['""', ['""']],
      ['W/"a"', ['W/"a"']],
      ['"a", W/"b","c"', ['"a"', 'W/"b"', '"c"']],
      [' ,"a,b" ,, "c"\t, ', ['"a,b"', '"c"']],
      ['"\u00e9!#~"', ['"\u00e9!#~"']],
    ] as const) {
      expect(ifMatch(header), header).to.deep.equal(tags);
    }
    const malformed = ['', ' ', ',', 'a', '"a', 'a"', '"a" "b"', '"a""b"', '"a"b', "'a'", 'w/"a"', 'W/ "a"', '"a b"'];
    for (const header of [...malformed, '"a"", "b"', '*, "a"', '"a", *', '**', '"a\u007f"', `${'"a" '.repeat(9)}x`]) {
      expect(() => ifMatch(header), header)
        .to.throw()
        .with.property('type', 'validation_failed');
    }
  });

  it('reads an If-Match of any length in a time that grows with its length', () => {
    // A pattern that tries all ways to divide the blanks would not end.
    for (const part of [' ', ', ', '"a" ', '"a", ', '\t,']) {
      expect(() => ifMatch(`"a"${part.repeat(3_000)}x`)).to.throw();
    }
  });

  const fields = { id: id(), code: text(1, 9), wallet: opaque(9) };
  it('binds the key to the same path for every letter case of an id, and for a text with blanks around it', () => {
    fc.assert(
      fc.property(fc.uuid(), fc.string({ unit: 'grapheme' }), (uuid, code) => {
        const path = (id: string, code: string) => resourcePath('/a/:id/b/:code', { id, code }, fields);
        expect(path(uuid.toUpperCase(), ` ${code} `)).to.equal(path(uuid, code));
      }),
    );
  });

  it('binds the key to different paths for different values of a parameter', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'grapheme' }), { minLength: 4, maxLength: 4 }), ([a, b, c, d]) => {
        const path = (wallet = '', other = '') => resourcePath('/:wallet/:other', { wallet, other }, fields);
        expect(path(a, b) === path(c, d)).to.equal(a === c && b === d);
      }),
    );
  });

  it('selects the preferred supported language, and English if none is accepted', () => {
    for (const [header, language] of [
      [undefined, 'en'],
      ['', 'en'],
      ['*', 'en'],
      ['de, es', 'en'],
      ['FR', 'fr'],
      ['fr-CA', 'fr'],
      ['de, fr;q=0.1', 'fr'],
      ['en-GB, fr', 'fr'],
      ['en, fr', 'en'],
      ['fr;q=0.5, en;q=0.6', 'en'],
      ['fr;q=0', 'en'],
      ['en;q=0, *', 'fr'],
      ['not a header', 'en'],
    ] as const) {
      expect(preferredLanguage(header), header).to.equal(language);
    }
    fc.assert(fc.property(fc.string(), (header) => ['en', 'fr'].includes(preferredLanguage(header))));
  });
});
