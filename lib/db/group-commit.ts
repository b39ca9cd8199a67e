import { problem } from '../errors/problem.ts';
import { batchItems, batchQueueItems } from '../telemetry/metrics.ts';
import { isContentFault } from './errors.ts';

export interface GroupCommitOptions<Item, Outcome> {
  /** Items with the same key are never in one batch: for statements that can change a row only once. */
  keyOf?: (item: Item) => string;
  /**
   * Runs a single item after its batch has failed because of an item or a lock. Unlike a batch, it may wait for locks. By
   * default, the item is run as a batch of one.
   */
  runOne?: (item: Item) => Promise<Outcome>;
}

interface Waiting<Item, Outcome> {
  item: Item;
  resolve: (outcome: Outcome) => void;
  reject: (error: unknown) => void;
}

/** A few seconds of work. A refusal serves later requests better than a longer wait. */
const QUEUE_MAX_ITEMS = 20_000;

/** Enough to make the cost of a flush for each item negligible. More would only delay the last items. */
export const BATCH_MAX_ITEMS = 500;

/**
 * Turns a function for many items into one for a single item (group commit). Items that arrive while a batch is running
 * form the next batch, so that they share a flush, a round trip and a plan. A single item is sent immediately. If a batch
 * fails because of one item, each item is run again separately.
 * @param name the kind of item, in metrics
 * @param run returns one outcome for each item, in their order; it takes effect for all items or none
 * @returns a function that rejects with the error of `run`, or with service_unavailable while too many items wait
 */
export function groupCommit<Item, Outcome>(
  name: string,
  run: (items: Item[]) => Promise<Outcome[]>,
  { keyOf, runOne }: GroupCommitOptions<Item, Outcome> = {},
): (item: Item) => Promise<Outcome> {
  let queue: Waiting<Item, Outcome>[] = [];
  let isSending = false;
  let isScheduled = false;
  const sizes = batchItems.labels(name);
  const queued = batchQueueItems.labels(name);

  function takeBatch(): Waiting<Item, Outcome>[] {
    if (keyOf === undefined) return queue.splice(0, BATCH_MAX_ITEMS);
    const keys = new Set<string>();
    const batch: Waiting<Item, Outcome>[] = [];
    const rest: Waiting<Item, Outcome>[] = [];
    for (const waiting of queue) {
      const key = keyOf(waiting.item);
      const fits = batch.length < BATCH_MAX_ITEMS && !keys.has(key);
      keys.add(key);
      (fits ? batch : rest).push(waiting);
    }
    queue = rest;
    return batch;
  }

  async function runSeparately(item: Item): Promise<Outcome> {
    if (runOne !== undefined) return runOne(item);
    const [outcome] = await run([item]);
    return outcome as Outcome;
  }

  async function send(batch: Waiting<Item, Outcome>[]): Promise<void> {
    try {
      const outcomes = await run(batch.map(({ item }) => item));
      if (outcomes.length !== batch.length) throw new Error('A batch has fewer or more outcomes than items');
      batch.forEach(({ resolve }, index) => resolve(outcomes[index] as Outcome));
    } catch (error) {
      if (isContentFault(error) && (batch.length > 1 || runOne !== undefined)) {
        // Later batches do not wait for these items.
        for (const { item, resolve, reject } of batch) runSeparately(item).then(resolve, reject);
      } else {
        for (const { reject } of batch) reject(error);
      }
    }
  }

  function sendBatch(): void {
    isScheduled = false;
    isSending = true;
    const batch = takeBatch();
    sizes.observe(batch.length);
    queued.set(queue.length);
    void send(batch).finally(() => {
      isSending = false;
      schedule();
    });
  }

  // Items of the same turn of the event loop share a batch.
  function schedule(): void {
    if (isScheduled || isSending || queue.length === 0) return;
    isScheduled = true;
    setImmediate(sendBatch);
  }

  return (item) =>
    new Promise<Outcome>((resolve, reject) => {
      if (queue.length >= QUEUE_MAX_ITEMS) throw problem('service_unavailable');
      queue.push({ item, resolve, reject });
      queued.set(queue.length);
      schedule();
    });
}
