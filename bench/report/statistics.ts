import type { Spread } from './row.ts';

/** Returns the middle value, or the mean of the two middle values. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const lower = sorted[sorted.length % 2 === 0 ? middle - 1 : middle];
  const upper = sorted[middle];
  if (lower === undefined || upper === undefined) throw new RangeError('The median of no values is undefined');
  return (lower + upper) / 2;
}

export function spreadOf(rounds: readonly number[]): Spread {
  return { median: median(rounds), least: Math.min(...rounds), greatest: Math.max(...rounds), rounds: [...rounds] };
}

/** Returns the ratio in each round, because a temporary slowdown of the machine affects both figures of a round. */
export function ratioOf(ours: Spread, baseline: Spread): Spread {
  return spreadOf(
    ours.rounds.map((figure, round) => {
      const other = baseline.rounds[round];
      if (other === undefined) throw new RangeError('A round has no baseline');
      return figure / other;
    }),
  );
}

/**
 * Returns the value that this share of the values is below, for example 0.99 for p99.
 * @param sorted in ascending order
 */
export function quantile(sorted: ArrayLike<number>, share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN;
}

/** Returns the statistic of Welch's t-test: how many standard errors the means of two samples differ by. */
export function welchT(one: readonly number[], other: readonly number[]): number {
  const a = momentsOf(one);
  const b = momentsOf(other);
  return (a.mean - b.mean) / Math.sqrt(a.variance / one.length + b.variance / other.length);
}

function momentsOf(values: readonly number[]): { mean: number; variance: number } {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return { mean, variance: squares / (values.length - 1) };
}
