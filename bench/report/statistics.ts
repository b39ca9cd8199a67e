import type { Spread } from './row.ts';

/** The middle value; of an even number, the mean of the two in the middle. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const [lower, upper] = [sorted[sorted.length % 2 === 0 ? middle - 1 : middle], sorted[middle]];
  if (lower === undefined || upper === undefined) throw new RangeError('The median of nothing');
  return (lower + upper) / 2;
}

export function spreadOf(rounds: readonly number[]): Spread {
  return { median: median(rounds), least: Math.min(...rounds), greatest: Math.max(...rounds), rounds: [...rounds] };
}

/** One over the other, round by round: what disturbs the machine for some time disturbs both of a round. */
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
 * The value that so large a share of the others is below: 0.99 for p99.
 * @param sorted from the least to the greatest
 */
export function quantile(sorted: ArrayLike<number>, share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN;
}
