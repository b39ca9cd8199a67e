import { expect } from 'chai';
import fc from 'fast-check';
import { decodeSealed, digestOf, hashPin, pepperOf, readPin } from '../../../services/membership/pins/pin.rules.ts';

const bytes = fc.uint8Array({ minLength: 1, maxLength: 300 }).map((array) => Buffer.from(array));

/** Returns the encodings in which clients send the same bytes. */
const spellings = (content: Buffer) => [
  content.toString('base64'),
  content.toString('base64').replace(/=+$/, ''),
  content.toString('base64url'),
  content.toString('base64').replaceAll('+', '-').replaceAll('/', '_'),
];

describe('a sealed PIN', () => {
  it('is base64 or base64url, with or without padding', () => {
    fc.assert(
      fc.property(bytes, (content) => {
        for (const text of spellings(content)) expect(decodeSealed(text)?.equals(content)).to.equal(true);
      }),
    );
  });

  it('is refused in every other form', () => {
    for (const text of ['', '1', 'ab=', 'abc==', 'a b c d', 'abcd\n', 'ab+_', '=', '====', 'é', '{"a":1}']) {
      expect(decodeSealed(text), JSON.stringify(text)).to.equal(null);
    }
  });

  it('is identified by its bytes, regardless of their encoding', () => {
    fc.assert(
      fc.property(bytes, bytes, (one, other) => {
        const digests = new Set(spellings(one).map((text) => digestOf(decodeSealed(text)!).toString('hex')));
        expect(digests.size).to.equal(1);
        expect(digests.has(digestOf(other).toString('hex'))).to.equal(one.equals(other));
      }),
    );
  });
});

describe('a PIN', () => {
  it('has 4 to 12 digits', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[0-9]{1,20}$/), (digits) => {
        const isValid = digits.length >= 4 && digits.length <= 12;
        expect(readPin(Buffer.from(digits))).to.equal(isValid ? digits : null);
      }),
    );
  });

  it('has only ASCII digits', () => {
    for (const text of ['', '123', '12a4', ' 1234', '1234 ', '1234\n', '-1234', '12.34', '١٢٣٤', '1234567890123']) {
      expect(readPin(Buffer.from(text)), JSON.stringify(text)).to.equal(null);
    }
  });
});

describe('the hash of a PIN', () => {
  const pepper = 'pepper';
  const salt = Buffer.alloc(16, 7);
  const stored = { salt, hash: hashPin(pepper, salt, 'awa', '1234') };

  it('matches the PIN that it was computed from', () => {
    expect(pepperOf([pepper], stored, 'awa', '1234')).to.equal(pepper);
  });

  it('depends on the PIN, the user, the salt and the pepper', () => {
    expect(pepperOf([pepper], stored, 'awa', '1235')).to.equal(undefined);
    expect(pepperOf([pepper], stored, 'awa1', '234')).to.equal(undefined);
    expect(pepperOf([pepper], { ...stored, salt: Buffer.alloc(16, 8) }, 'awa', '1234')).to.equal(undefined);
    expect(pepperOf(['salt'], stored, 'awa', '1234')).to.equal(undefined);
  });

  it('says with which of two peppers it was made', () => {
    for (const peppers of [
      [pepper, 'other'],
      ['other', pepper],
    ]) {
      expect(pepperOf(peppers, stored, 'awa', '1234')).to.equal(pepper);
      expect(pepperOf(peppers, stored, 'awa', '1235')).to.equal(undefined);
    }
  });
});
