/** Random decisions that depend only on a seed. */
export interface Random {
  /** Returns an integer from 0 to `end` - 1. */
  below(end: number): number;
  /** Returns an integer from `least` to `most`. */
  between(least: number, most: number): number;
  /** Returns true once in `n` times, on average. */
  oneIn(n: number): boolean;
  /** Returns true with this probability. */
  happens(probability: number): boolean;
  pick<T>(from: readonly T[]): T;
  bytes(length: number): Buffer;
  /** Returns a source that the further use of this one does not change. */
  fork(): Random;
}

/** Creates a source of random numbers: SplitMix32, which is good enough to choose faults, and fits in five lines. */
export function createRandom(seed: number): Random {
  let state = seed | 0;
  const next = (): number => {
    state = (state + 0x9e3779b9) | 0;
    let mixed = Math.imul(state ^ (state >>> 16), 0x21f0aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    return (mixed ^ (mixed >>> 15)) >>> 0;
  };
  const below = (end: number) => next() % end;
  return {
    below,
    between: (least, most) => least + below(most - least + 1),
    oneIn: (n) => below(n) === 0,
    happens: (probability) => next() < probability * 2 ** 32,
    bytes: (length) => Buffer.from(Array.from({ length }, () => below(256))),
    pick: (from) => {
      const picked = from[below(from.length)];
      if (picked === undefined) throw new Error('There is nothing to pick from');
      return picked;
    },
    fork: () => createRandom(next()),
  };
}
