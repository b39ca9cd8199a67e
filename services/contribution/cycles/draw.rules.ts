/**
 * The draw of a rotation: a seed puts the hands in order, and anyone can repeat it. docs/draw.md describes every
 * byte of it for verifiers in other languages; what is written here must never change without a new label.
 */
import { createHmac } from 'node:crypto';

/** The bytes of a draw's seed: as many as the key of HMAC-SHA256 needs to be unguessable. */
export const DRAW_SEED_BYTES = 32;

/** Sets this stream apart from any other use of the seed, and names the algorithm. */
const DRAW_LABEL = 'association-service/draw/v1';
const COUNTER_BYTES = 8;
const WORD_BYTES = 4;
/** How many values a 32-bit word can take. */
const WORD_VALUES = 2 ** 32;

/** A member and the number of their turns. */
export interface HandsOfMember {
  readonly member_id: string;
  readonly hands: number;
}

/**
 * The drawn order: each member's id once per hand. It depends on the seed and on who has how many hands, not on the
 * order in which they are given.
 */
export function drawOrder(seed: Uint8Array, members: readonly HandsOfMember[]): string[] {
  return shuffled(orderBeforeDraw(members), keyedWords(seed));
}

/** Where every draw starts from: the hands sorted by member id, a member's hands one after another. */
export function orderBeforeDraw(members: readonly HandsOfMember[]): string[] {
  const hands = members.flatMap((member) => Array.from({ length: member.hands }, () => member.member_id));
  // Ids are lower-case hexadecimal, so that code units, bytes and numbers sort alike.
  return hands.toSorted();
}

/**
 * An endless stream of 32-bit words that cannot be told from random ones without the seed: the blocks
 * HMAC-SHA256(seed, label || i), i counted from 0 in 8 bytes, read as big-endian words.
 */
export function* keyedWords(seed: Uint8Array): Generator<number, never> {
  const counter = Buffer.alloc(COUNTER_BYTES);
  for (let block = 0n; ; block += 1n) {
    counter.writeBigUInt64BE(block);
    const bytes = createHmac('sha256', seed).update(DRAW_LABEL, 'ascii').update(counter).digest();
    for (let at = 0; at < bytes.length; at += WORD_BYTES) yield bytes.readUInt32BE(at);
  }
}

/** The items in the order to which the words shuffle them (Fisher-Yates, from the last place down). */
export function shuffled<T>(items: readonly T[], words: Iterator<number, never>): T[] {
  const order = [...items];
  for (let last = order.length - 1; last > 0; last -= 1) {
    const chosen = uniformBelow(last + 1, words);
    [order[last], order[chosen]] = [order[chosen] as T, order[last] as T];
  }
  return order;
}

/**
 * A number from 0 to `bound` − 1, each as likely as any other: words from the last incomplete run of `bound` values are
 * skipped, for their remainders would favour the small numbers.
 * @param bound at most 2^32
 */
export function uniformBelow(bound: number, words: Iterator<number, never>): number {
  const usable = WORD_VALUES - (WORD_VALUES % bound);
  let word = words.next().value;
  while (word >= usable) word = words.next().value;
  return word % bound;
}
