import { LRUCache } from 'lru-cache';

/** Some 100 bytes each, and only while the database does not answer. */
const LOST_MAX_USERS = 100_000;

/**
 * Whose attempts at a PIN are under way to be judged under the lock, or were lost on the way there. While one's are, no
 * right PIN of his goes ahead without the lock: among many guesses it would pass while the wrong ones still wait to be
 * counted, or, where the database has no time for them, are never counted.
 */
export class UncountedAttempts {
  readonly #underWay = new Map<string, number>();
  readonly #lost = new LRUCache<string, true>({ max: LOST_MAX_USERS });

  has(user_id: string): boolean {
    return this.#underWay.has(user_id) || this.#lost.has(user_id);
  }

  /**
   * Runs the judgement of one attempt. Where it fails, the user's next ones go under the lock, until one is judged there.
   */
  async during<T>(user_id: string, judge: () => Promise<T>): Promise<T> {
    this.#count(user_id, 1);
    try {
      const verdict = await judge();
      this.#lost.delete(user_id);
      return verdict;
    } catch (error) {
      this.#lost.set(user_id, true);
      throw error;
    } finally {
      this.#count(user_id, -1);
    }
  }

  #count(user_id: string, change: 1 | -1): void {
    const under_way = (this.#underWay.get(user_id) ?? 0) + change;
    if (under_way === 0) this.#underWay.delete(user_id);
    else this.#underWay.set(user_id, under_way);
  }
}
