/**
 * The draw of a rotation: the order of the hands follows from a seed, so anyone can repeat the draw. docs/draw.md specifies
 * every byte for verifiers in other languages. A change of the algorithm requires a new label.
 */
import { createHmac } from 'node:crypto';

/** The length of a draw's seed: 256 bits, the security strength of HMAC-SHA256. */
export const DRAW_SEED_BYTES = 32;

/** Separates this stream from any other use of the seed, and names the algorithm. */
const DRAW_LABEL = 'association-service/draw/v1';
const COUNTER_BYTES = 8;
const WORD_BYTES = 4;
/** The number of values of a 32-bit word. */
const WORD_VALUES = 2 ** 32;

/** A member and the number of their turns. */
export interface HandsOfMember {
  readonly member_id: string;
  readonly hands: number;
}

/**
 * Returns the drawn order: each member's id once per hand. It depends on the seed and on the members' hands, but not on the
 * order of `members`.
 */
export function drawOrder(seed: Uint8Array, members: readonly HandsOfMember[]): string[] {
  return shuffle(orderBeforeDraw(members), keyedWords(seed));
}

/** Returns the order from which every draw starts: the hands sorted by member id. */
export function orderBeforeDraw(members: readonly HandsOfMember[]): string[] {
  const hands = members.flatMap((member) => Array.from({ length: member.hands }, () => member.member_id));
  // Ids are lower-case hexadecimal, so code units, bytes and numbers sort in the same order.
  return hands.toSorted();
}

/**
 * Generates an endless stream of 32-bit words that only the seed distinguishes from random words: the blocks
 * HMAC-SHA256(seed, label || i) for i = 0, 1, 2, … in 8 bytes, each read as big-endian words.
 */
export function* keyedWords(seed: Uint8Array): Generator<number, never> {
  const counter = Buffer.alloc(COUNTER_BYTES);
  for (let block = 0n; ; block += 1n) {
    counter.writeBigUInt64BE(block);
    const bytes = createHmac('sha256', seed).update(DRAW_LABEL, 'ascii').update(counter).digest();
    for (let at = 0; at < bytes.length; at += WORD_BYTES) yield bytes.readUInt32BE(at);
  }
}

/** Returns the items in the order that the words give them (Fisher-Yates, from the last place down). */
export function shuffle<T>(items: readonly T[], words: Iterator<number, never>): T[] {
  const order = [...items];
  for (let last = order.length - 1; last > 0; last -= 1) {
    const chosen = uniformBelow(last + 1, words);
    [order[last], order[chosen]] = [order[chosen] as T, order[last] as T];
  }
  return order;
}

/**
 * Returns a number from 0 to `bound` − 1, each with the same probability: it skips the words of the last incomplete run of
 * `bound` values, whose remainders would favour small numbers.
 * @param bound at most 2^32
 */
export function uniformBelow(bound: number, words: Iterator<number, never>): number {
  const usable = WORD_VALUES - (WORD_VALUES % bound);
  let word = words.next().value;
  while (word >= usable) word = words.next().value;
  return word % bound;
}
