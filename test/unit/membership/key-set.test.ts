import { expect } from 'chai';
import fc from 'fast-check';
import { liveKeys, modulusBits, needsRenewal, OVERLAP_MS, rotate, toNumericDate } from '../../../lib/pin/key-set.ts';
import type { PinKey } from '../../../lib/pin/key-set.ts';

const DAY_MS = 86_400_000;
const NOW = new Date('2026-03-01T12:00:00.000Z');
const after = (ms: number) => new Date(NOW.getTime() + ms);

function key(kid: string, created: Date, life_ms: number): PinKey {
  const exp = toNumericDate(new Date(created.getTime() + life_ms));
  const secret = { d: 'd', p: 'p', q: 'q', dp: 'dp', dq: 'dq', qi: 'qi' };
  const common = { kty: 'RSA', use: 'enc', alg: 'RSA-OAEP-256' } as const;
  return { ...common, ...secret, n: 'n', e: 'AQAB', kid, created: toNumericDate(created), exp };
}

const kids = (keys: { kid: string }[]) => keys.map((each) => each.kid);

describe('the set of PIN keys', () => {
  it('has the newest key first and no expired key', () => {
    const keys = [key('old', after(-80 * DAY_MS), 90 * DAY_MS), key('new', NOW, 90 * DAY_MS), key('gone', NOW, 0)];
    expect(kids(liveKeys(keys, NOW))).to.deep.equal(['new', 'old']);
  });

  it('keeps the older keys exactly for the overlap after a rotation, and drops them without an overlap', () => {
    const old = key('old', after(-DAY_MS), 90 * DAY_MS);
    const keys = rotate([old], key('new', NOW, 90 * DAY_MS), NOW, OVERLAP_MS);
    expect(kids(liveKeys(keys, after(OVERLAP_MS - 1)))).to.deep.equal(['new', 'old']);
    expect(kids(liveKeys(keys, after(OVERLAP_MS)))).to.deep.equal(['new']);
    expect(kids(rotate([old], key('new', NOW, 90 * DAY_MS), NOW, 0))).to.deep.equal(['new']);
  });

  it('never extends the life of a key by a rotation, and always begins with the new key', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -90, max: 0 })), fc.nat({ max: 30 }), (ages, overlap) => {
        const keys = ages.map((age, index) => key(String(index), after(age * DAY_MS), 60 * DAY_MS));
        const set = rotate(keys, key('new', NOW, 90 * DAY_MS), NOW, overlap * DAY_MS);
        expect(set[0]?.kid).to.equal('new');
        expect(liveKeys(set, NOW)[0]?.kid).to.equal('new');
        for (const each of set.slice(1)) {
          const before = keys.find(({ kid }) => kid === each.kid);
          expect(each.exp).to.be.at.most(before!.exp);
          expect(each.exp * 1_000).to.be.within(NOW.getTime() + 1, NOW.getTime() + overlap * DAY_MS);
        }
      }),
    );
  });

  it('is renewed two weeks before the newest key expires', () => {
    const keys = [key('k', NOW, 90 * DAY_MS)];
    expect(needsRenewal(keys, after(76 * DAY_MS))).to.equal(false);
    expect(needsRenewal(keys, after(76 * DAY_MS + 1))).to.equal(true);
    expect(needsRenewal([], NOW)).to.equal(true);
  });

  it('measures a modulus by its bits', () => {
    expect(modulusBits({ n: Buffer.from([0x80, 0]).toString('base64url') })).to.equal(16);
    expect(modulusBits({ n: Buffer.from([0x01, 0]).toString('base64url') })).to.equal(9);
  });
});
