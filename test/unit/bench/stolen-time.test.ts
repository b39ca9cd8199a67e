import { expect } from 'chai';
import { ticksIn } from '../../../bench/report/stolen-time.ts';

describe("the time that a machine's host takes", () => {
  it('is the eighth figure of all cores, out of the first eight', () => {
    const stat = 'cpu  10 1 5 100 2 0 3 7 4 2\ncpu0 1 1 1 1 1 1 1 1 1 1\nbtime 1\n';
    expect(ticksIn(stat)).to.deep.equal({ all: 128, stolen: 7 });
  });

  it('is none on a kernel that does not count it', () => {
    expect(ticksIn('cpu  10 1 5 100\n')).to.deep.equal({ all: 116, stolen: 0 });
  });
});
