/** Random choices that repeat with their seed. */
export interface Random {
  /** Returns a whole number from 0 to `below` - 1. */
  int(below: number): number;
  pick<T>(list: readonly T[]): T;
  /** Whether an event of this probability happens. */
  happens(probability: number): boolean;
  bytes(length: number): Buffer;
}

/** Returns the choices of a seed: splitmix32, whose neighbouring seeds are independent. */
export function randomOf(seed: number): Random {
  let state = seed | 0;
  const next = (): number => {
    state = (state + 0x9e3779b9) | 0;
    let mixed = Math.imul(state ^ (state >>> 16), 0x21f0aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    return (mixed ^ (mixed >>> 15)) >>> 0;
  };
  const int = (below: number): number => next() % below;
  return {
    int,
    pick: (list) => list[int(list.length)]!,
    happens: (probability) => next() < probability * 2 ** 32,
    bytes: (length) => Buffer.from(Array.from({ length }, () => int(256))),
  };
}
