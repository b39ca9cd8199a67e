/** Something to repeat, in its place. */
export interface Placed {
  /** Items of one chain are repeated one after another. */
  chain_id: string;
  at: Date;
}

/**
 * Repeats items in the order of time. Within a millisecond, and between the clocks of two hosts, an item may come before
 * one that it needs, such as the deposit that it spends: then it is tried again after the others, and the following items of
 * its chain wait for it.
 * @param attempt returns whether the item was repeated
 * @param giveUp called for an item that no other item makes possible; its chain continues without it
 */
export async function repeatInOrder<Item extends Placed>(
  items: readonly Item[],
  attempt: (item: Item) => Promise<boolean>,
  giveUp: (item: Item) => void,
): Promise<void> {
  let waiting = items.toSorted((a, b) => a.at.getTime() - b.at.getTime());
  while (waiting.length > 0) {
    const blocked = new Set<string>();
    const left: Item[] = [];
    for (const item of waiting) {
      if (!blocked.has(item.chain_id) && (await attempt(item))) continue;
      blocked.add(item.chain_id);
      left.push(item);
    }
    const [first] = left;
    if (first !== undefined && left.length === waiting.length) {
      giveUp(first);
      left.shift();
    }
    waiting = left;
  }
}
