import { expect } from 'chai';
import type { Row } from '../../../bench/report/row.ts';
import { median, quantile, ratioOf, rounded, spreadOf } from '../../../bench/report/statistics.ts';
import { isMet } from '../../../bench/report/table.ts';

const row = (more: Partial<Row>): Row => ({ id: 'a', what: 'a', unit: '/s', ours: spreadOf([100]), ...more });

describe("the benchmark's goals", () => {
  it('asks for nothing where there is no goal', () => {
    expect(isMet(row({}))).to.equal(undefined);
  });

  it('are met from at least so much', () => {
    const goal = { of: 'ratio', at: 'least', value: 0.9 } as const;
    expect(isMet(row({ goal, ratio: spreadOf([0.9]) }))).to.equal(true);
    expect(isMet(row({ goal, ratio: spreadOf([0.89]) }))).to.equal(false);
  });

  it('are met up to at most so much', () => {
    const goal = { of: 'figure', at: 'most', value: 100 } as const;
    expect(isMet(row({ goal, ours: spreadOf([100]) }))).to.equal(true);
    expect(isMet(row({ goal, ours: spreadOf([100.1]) }))).to.equal(false);
  });

  it('go by the median, not by a round that went well', () => {
    const goal = { of: 'ratio', at: 'least', value: 2 } as const;
    expect(isMet(row({ goal, ratio: spreadOf([1, 1.5, 9]) }))).to.equal(false);
    expect(isMet(row({ goal, ratio: spreadOf([1, 2, 2]) }))).to.equal(true);
  });

  it('look at the ratio, not at the figure, where they are of the ratio', () => {
    const goal = { of: 'ratio', at: 'most', value: 1.5 } as const;
    expect(isMet(row({ goal, ours: spreadOf([1]), ratio: spreadOf([2]) }))).to.equal(false);
  });

  it('are short where a ratio is asked for and nothing was measured beside it', () => {
    expect(isMet(row({ goal: { of: 'ratio', at: 'least', value: 0 } }))).to.equal(false);
    expect(isMet(row({ goal: { of: 'ratio', at: 'most', value: 9 } }))).to.equal(false);
  });
});

describe("the benchmark's statistics", () => {
  it('take the middle value, whatever the order', () => {
    expect(median([30, 1, 2])).to.equal(2);
  });

  it('take the mean of the two in the middle of an even number', () => {
    expect(median([4, 1, 3, 100])).to.equal(3.5);
  });

  it('have no median of nothing', () => {
    expect(() => median([])).to.throw(RangeError);
  });

  it('keep the rounds in their order', () => {
    expect(spreadOf([3, 1, 2])).to.deep.equal({ median: 2, least: 1, greatest: 3, rounds: [3, 1, 2] });
  });

  it('compare round by round, not median with median', () => {
    // The machine was slow in the second round, for both.
    const ratio = ratioOf(spreadOf([100, 30, 80]), spreadOf([50, 10, 20]));
    expect(ratio.rounds).to.deep.equal([2, 3, 4]);
    expect(ratio.median).to.equal(3);
  });

  it('do not compare a round with nothing', () => {
    expect(() => ratioOf(spreadOf([1, 2]), spreadOf([1]))).to.throw('nothing beside it');
  });

  it('give the value that a share is below, at most the greatest', () => {
    const sorted = Array.from({ length: 100 }, (_, index) => index + 1);
    expect([0, 0.5, 0.99, 1].map((share) => quantile(sorted, share))).to.deep.equal([1, 51, 100, 100]);
    expect(quantile([], 0.5)).to.be.NaN;
  });

  it('round to three digits that count', () => {
    expect([12_345, 0.012345, 0].map(rounded)).to.deep.equal([12_300, 0.0123, 0]);
  });
});
