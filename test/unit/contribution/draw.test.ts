import { createHash } from 'node:crypto';
import { expect } from 'chai';
import * as fc from 'fast-check';
import {
  orderBeforeDraw,
  DRAW_SEED_BYTES,
  drawOrder,
  keyedWords,
  shuffle,
  uniformBelow,
} from '../../../services/contribution/cycles/draw.rules.ts';
import type { HandsOfMember } from '../../../services/contribution/cycles/draw.rules.ts';

/** The bytes 00 01 02 … 1f, which are the seed of the test vector in docs/draw.md. */
const VECTOR_SEED = Buffer.from(Array.from({ length: DRAW_SEED_BYTES }, (_, index) => index));
const vectorMember = (letter: string) => `019aa5c0-0000-7000-8000-00000000000${letter}`;

const someSeed = fc.uint8Array({ minLength: DRAW_SEED_BYTES, maxLength: DRAW_SEED_BYTES });
const someMembers = fc
  .uniqueArray(fc.uuid(), { minLength: 1, maxLength: 12 })
  .chain((ids) =>
    fc.tuple(...ids.map((member_id) => fc.record({ member_id: fc.constant(member_id), hands: hands() }))),
  );

function hands() {
  return fc.integer({ min: 1, max: 20 });
}

/** Seeds that look random and are the same in every run. */
function seedNumber(index: number): Buffer {
  return createHash('sha256')
    .update(`seed ${String(index)}`)
    .digest();
}

function words(...given: number[]): Iterator<number, never> {
  return given[Symbol.iterator]() as Iterator<number, never>;
}

/** Pearson's statistic against equal frequencies. */
function chiSquare(counts: readonly number[]): number {
  const expected = counts.reduce((sum, count) => sum + count, 0) / counts.length;
  return counts.reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0);
}

describe('a draw', () => {
  it('reproduces the test vector of docs/draw.md', () => {
    const stream = keyedWords(VECTOR_SEED);
    const first = Array.from({ length: 10 }, () => stream.next().value.toString(16).padStart(8, '0'));
    expect(first.join(' ')).to.equal(
      'c30bf52e 9b6cf412 505cea5e e3a2865f d214cf4a ccd2809a 0041925f b2eb4aaf c702c60a e3604507',
    );
    const members: HandsOfMember[] = [
      { member_id: vectorMember('a'), hands: 1 },
      { member_id: vectorMember('b'), hands: 2 },
      { member_id: vectorMember('c'), hands: 1 },
      { member_id: vectorMember('d'), hands: 3 },
    ];
    expect(drawOrder(VECTOR_SEED, members)).to.deep.equal([...'bdbcdad'].map(vectorMember));
  });

  it('depends on the seed and the hands only, not on the order in which members are given', () => {
    fc.assert(
      fc.property(someSeed, someMembers, (seed, members) => {
        const order = drawOrder(seed, members);
        expect(drawOrder(seed, members.toReversed())).to.deep.equal(order);
        // Each hand has exactly one place.
        expect(order.toSorted()).to.deep.equal(orderBeforeDraw(members));
      }),
    );
  });

  it('shuffles hands that are sorted by member id', () => {
    const members = [
      { member_id: vectorMember('b'), hands: 1 },
      { member_id: vectorMember('a'), hands: 2 },
    ];
    expect(orderBeforeDraw(members)).to.deep.equal([...'aab'].map(vectorMember));
  });

  it('makes every order of four hands equally likely', () => {
    const members = ['a', 'b', 'c', 'd'].map((letter) => ({ member_id: letter, hands: 1 }));
    const counts = new Map<string, number>();
    for (let index = 0; index < 24_000; index += 1) {
      const order = drawOrder(seedNumber(index), members).join('');
      counts.set(order, (counts.get(order) ?? 0) + 1);
    }
    expect(counts.size).to.equal(24);
    // 23 degrees of freedom: 49.7 is exceeded by chance once in a thousand; these seeds are fixed.
    expect(chiSquare([...counts.values()])).to.be.below(49.7);
  });

  it('makes every place equally likely for each of 50 hands', () => {
    const members = Array.from({ length: 50 }, (_, index) => ({ member_id: String(index + 10), hands: 1 }));
    const orders = Array.from({ length: 5_000 }, (_, index) => drawOrder(seedNumber(index), members));
    for (const hand of ['10', '34', '59']) {
      const places = Map.groupBy(orders, (order) => order.indexOf(hand));
      const counts = members.map((_, place) => places.get(place)?.length ?? 0);
      // 49 degrees of freedom: 85.4 is exceeded by chance once in a thousand.
      expect(chiSquare(counts), hand).to.be.below(85.4);
    }
  });

  it('skips random words that would make small numbers more likely', () => {
    // 2^32 = 3 · 1 431 655 765 + 1, so only the last word is outside the runs of three.
    expect(uniformBelow(3, words(0xffffffff, 0xfffffffe))).to.equal(2);
    expect(uniformBelow(3, words(0xffffffff, 0xffffffff, 4))).to.equal(1);
    // 5 · 858 993 459 = 2^32 − 1.
    expect(uniformBelow(5, words(0xffffffff, 0xfffffffe))).to.equal(4);
    // No word is skipped if the bound divides 2^32.
    expect(uniformBelow(4, words(0xffffffff))).to.equal(3);
    expect(uniformBelow(1, words(0xffffffff))).to.equal(0);
  });

  it('swaps each place, from the last to the second, with itself or a place before it', () => {
    // 3 stays, then 1 goes to place 2, then 0 to place 1.
    expect(shuffle(['p', 'q', 'r', 's'], words(3, 1, 0))).to.deep.equal(['r', 'p', 'q', 's']);
    expect(shuffle(['p'], words())).to.deep.equal(['p']);
    expect(shuffle([], words())).to.deep.equal([]);
  });

  it('draws the largest possible rotation: 10 000 members with 20 hands each', () => {
    const members = Array.from({ length: 10_000 }, (_, index) => ({ member_id: String(index), hands: 20 }));
    const order = drawOrder(VECTOR_SEED, members);
    expect(order).to.have.length(200_000);
    expect(new Set(order).size).to.equal(10_000);
  });
});
