import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { pooledBytes } from '../../../lib/node/random-pool.ts';

describe('pooled random bytes', () => {
  it('give each byte of the source once, in pieces of the length asked for', () => {
    let drawn: number[] = [];
    const bytes = pooledBytes((length) => {
      const fresh = randomBytes(length);
      drawn = [...drawn, ...fresh];
      return fresh;
    });
    const given = Array.from({ length: 1_000 }, () => bytes(16));
    expect(given.flatMap((piece) => [...piece])).to.deep.equal(drawn.slice(0, 16_000));
  });

  it('ask the source for what is long', () => {
    const asked: number[] = [];
    const bytes = pooledBytes((length) => (asked.push(length), Buffer.alloc(length)));
    expect(bytes(1_000)).to.have.length(1_000);
    expect(asked).to.deep.equal([1_000]);
  });
});
