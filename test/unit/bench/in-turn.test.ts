import { expect } from 'chai';
import { inTurn, type Contender, type Outcome } from '../../../bench/harness/in-turn.ts';

/** Creates a contender that returns these outcomes in turn, and records in `asked` for how long it was run. */
function contenderOf(name: string, outcomes: Outcome[], asked: string[] = []): Contender {
  let turn = 0;
  return {
    name,
    run(duration_ms) {
      asked.push(`${name} ${String(duration_ms)}`);
      return Promise.resolve(outcomes[turn++]!);
    },
  };
}

const outcomes = (...figures: number[]): Outcome[] =>
  figures.map((figure) => ({ figure, details: { p99_ms: figure * 10, cpu_us: figure * 100 } }));

describe("the benchmark's rounds", () => {
  const bench = { rounds: 3, round_ms: 2_000, log: () => undefined };

  it('warm up each contender, then measure them in turn and reverse the order in every other round', async () => {
    const asked: string[] = [];
    const same = outcomes(1, 1, 1, 1);
    await inTurn(bench, [contenderOf('a', same, asked), contenderOf('b', same, asked)]);
    expect(asked).to.deep.equal(['a 1000', 'b 1000', 'a 2000', 'b 2000', 'b 2000', 'a 2000', 'a 2000', 'b 2000']);
  });

  it('count neither the figure nor the details of the warm-up', async () => {
    const measured = await inTurn(bench, [contenderOf('a', outcomes(99, 3, 1, 2))]);
    expect(measured.spread('a').rounds).to.deep.equal([3, 1, 2]);
    expect(measured.spread('a', 'p99_ms').rounds).to.deep.equal([30, 10, 20]);
    expect(measured.details('a', 'ours_')).to.deep.equal({ ours_p99_ms: 20, ours_cpu_us: 200 });
  });

  it('yield ratios of the figures of the same round', async () => {
    const measured = await inTurn(bench, [
      contenderOf('a', outcomes(1, 2, 9, 20)),
      contenderOf('b', outcomes(1, 1, 3, 5)),
    ]);
    expect(measured.ratio('a', 'b').rounds).to.deep.equal([2, 3, 4]);
  });

  it('name the contender that failed', async () => {
    const failing: Contender = { name: 'a', run: () => Promise.reject(new Error('no answer')) };
    const failure = await inTurn(bench, [failing]).catch((error: unknown) => error);
    expect(failure).to.be.an.instanceOf(Error).with.property('message', 'a: no answer');
  });
});
