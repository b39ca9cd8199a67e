/**
 * Gathering (group commit): what is asked for while a statement is on its way to the database goes together in the next
 * one. Under load a flush, a round trip and a plan are then paid once for many requests; a request that comes alone
 * waits for nobody.
 */

import { problem } from '../errors/problem.ts';
import { isContentFault } from './errors.ts';

export interface GatherOptions<Item, Outcome> {
  /** How many of them one batch holds at most; STATEMENT_MAX_ROWS unless told. */
  batch_max_items?: number;
  /** Items of one key never share a batch: for statements that may meet each row once only. */
  keyOf?: (item: Item) => string;
  /**
   * Runs one item by itself, where a batch with it has failed by something in it, or by a lock that others hold: unlike a
   * batch it may wait, as nobody waits with it. As a batch of one unless told.
   */
  alone?: (item: Item) => Promise<Outcome>;
}

interface Waiting<Item, Outcome> {
  item: Item;
  resolve: (outcome: Outcome) => void;
  reject: (error: unknown) => void;
}

/** Some seconds' worth of work. Whoever comes later is better served by a refusal than by waiting. */
const QUEUE_MAX_ITEMS = 20_000;

/** Enough to spread the cost of a flush until it no longer counts; more only makes those at the end wait. */
const STATEMENT_MAX_ROWS = 500;

/**
 * Makes a function for one item of a function for many.
 * @param run gives one outcome for each item, in their order; all or nothing takes effect
 * @returns a function that rejects with what `run` threw, or with service_unavailable while too many wait. Where one item
 *   of a batch is at fault, the others are run again without it.
 */
export function gather<Item, Outcome>(
  run: (items: Item[]) => Promise<Outcome[]>,
  { batch_max_items = STATEMENT_MAX_ROWS, keyOf, alone }: GatherOptions<Item, Outcome> = {},
): (item: Item) => Promise<Outcome> {
  let queue: Waiting<Item, Outcome>[] = [];
  let in_flight = false;
  let due = false;

  function take(): Waiting<Item, Outcome>[] {
    if (keyOf === undefined) return queue.splice(0, batch_max_items);
    const keys = new Set<string>();
    const batch: Waiting<Item, Outcome>[] = [];
    const rest: Waiting<Item, Outcome>[] = [];
    for (const waiting of queue) {
      const key = keyOf(waiting.item);
      const fits = batch.length < batch_max_items && !keys.has(key);
      keys.add(key);
      (fits ? batch : rest).push(waiting);
    }
    queue = rest;
    return batch;
  }

  async function runAlone(item: Item): Promise<Outcome> {
    if (alone !== undefined) return alone(item);
    const [outcome] = await run([item]);
    return outcome as Outcome;
  }

  async function send(batch: Waiting<Item, Outcome>[]): Promise<void> {
    try {
      const outcomes = await run(batch.map(({ item }) => item));
      if (outcomes.length !== batch.length) throw new Error('A batch has another number of outcomes than of items');
      batch.forEach(({ resolve }, index) => resolve(outcomes[index] as Outcome));
    } catch (error) {
      if (isContentFault(error) && (batch.length > 1 || alone !== undefined)) {
        // Nobody who comes later waits for them.
        for (const { item, resolve, reject } of batch) runAlone(item).then(resolve, reject);
      } else {
        for (const { reject } of batch) reject(error);
      }
    }
  }

  function sendWhatIsThere(): void {
    due = false;
    in_flight = true;
    void send(take()).finally(() => {
      in_flight = false;
      sendSoon();
    });
  }

  // What comes in the same turn of the event loop shares a batch.
  function sendSoon(): void {
    if (due || in_flight || queue.length === 0) return;
    due = true;
    setImmediate(sendWhatIsThere);
  }

  return (item) =>
    new Promise<Outcome>((resolve, reject) => {
      if (queue.length >= QUEUE_MAX_ITEMS) throw problem('service_unavailable');
      queue.push({ item, resolve, reject });
      sendSoon();
    });
}
