import type { Database } from '../../../lib/db/database.ts';
import type { Pool, Session } from '../../../lib/db/db.ts';
import { isContentFault, isRace } from '../../../lib/db/errors.ts';
import { problem } from '../../../lib/errors/problem.ts';
import type { Outbox, OutboxRow } from '../../../lib/events/outbox.ts';
import type { Runtime } from '../../../lib/node/runtime.ts';
import { batchItems, batchQueueItems } from '../../../lib/telemetry/metrics.ts';
import { currentActivity, type Activity } from '../../../lib/tracing/activity.ts';
import {
  batchSize,
  decideBatch,
  expectedOf,
  type FingerprintedPosting,
  type Changes,
  type Expected,
} from './batch.rules.ts';
import type { Decision, LedgerView } from './decide.rules.ts';
import { LedgerCache, type CachedView } from './ledger-cache.ts';
import { loadAccounts, lockAndLoad, write, writeIfUnchanged } from './ledger.store.ts';
import { assertWellFormed, fingerprintOf, type Outcome, type Posting } from './posting.rules.ts';

/** One connection sends the batches in order; the other loads accounts that are not in the cache. */
const CONNECTIONS_MAX = 2;

/** One batch is written while the next is decided. A third would only wait; formed later, it has more postings. */
const IN_FLIGHT_MAX_BATCHES = 2;

/** A few seconds of work. Later requests are refused, which serves them better than a longer wait. */
const QUEUE_MAX_POSTINGS = 50_000;

/** An attempt fails if another process has just posted under the same id. The next attempt finds that outcome. */
const LOCKED_ATTEMPTS_MAX = 3;

const POSTING_BATCHES = batchItems.labels('postings');
const WAITING_POSTINGS = batchQueueItems.labels('postings');

export interface LedgerWriterDeps {
  db: Pick<Database, 'openBatches'>;
  outbox: Outbox;
  runtime: Pick<Runtime, 'clock' | 'reached'>;
}

/** A posting that waits for its outcome. */
interface Waiting extends FingerprintedPosting {
  /** What caused it. */
  cause: Activity | undefined;
  resolve: (outcome: Outcome) => void;
  reject: (error: Error) => void;
}

/** A batch that was decided on the cache. */
interface DecidedBatch {
  batch: Waiting[];
  decisions: Decision[];
  changes: Changes;
  expected: Expected;
  cached: CachedView;
}

/**
 * Posts to the ledger in group commits. Postings that arrive while a batch is written form the next batch. The postings
 * of a batch are decided one after another, and one statement writes them all. A batch is posted in one of two ways:
 * - On the cache, if it has the heads of all chains: the batch is decided while the previous one is still being
 *   written, and its statement writes only if the ledger is in the cached state.
 * - Under locks, taken in a fixed order, if the cache lacks a head or the ledger was not in the cached state.
 *
 * Any number of writers, in any number of processes, may work on one database: its locks and constraints decide.
 */
export class LedgerWriter {
  readonly #outbox: Outbox;
  readonly #runtime: LedgerWriterDeps['runtime'];
  readonly #connections: { pool: Pool; close(): Promise<void> };
  readonly #cache = new LedgerCache();
  #queue: Waiting[] = [];
  /** Batches that were decided on an outdated state of the ledger. They are posted again under locks. */
  #stale: Waiting[][] = [];
  /** Batches that are being written. */
  readonly #inFlight = new Set<Promise<void>>();
  /** Sends the batches in flight in order; returned to the pool after the last one. */
  #session: Session | undefined;
  #isSessionBroken = false;
  #running: Promise<void> | undefined;

  constructor({ db, outbox, runtime }: LedgerWriterDeps) {
    this.#outbox = outbox;
    this.#runtime = runtime;
    this.#connections = db.openBatches('ledger', CONNECTIONS_MAX);
  }

  /**
   * Posts a posting once for its id.
   * @returns the outcome of this call or of the first call with the id
   * @throws RangeError for a malformed posting, which is a programming error; service_unavailable if the queue is full.
   *   After any other error the outcome is unknown until the same posting is posted again.
   */
  async post(posting: Posting): Promise<Outcome> {
    assertWellFormed(posting);
    if (this.#queue.length >= QUEUE_MAX_POSTINGS) throw problem('service_unavailable');
    const fingerprint = fingerprintOf(posting);
    return new Promise<Outcome>((resolve, reject) => {
      this.#queue.push({ posting, fingerprint, cause: currentActivity(), resolve, reject });
      WAITING_POSTINGS.set(this.#queue.length);
      this.#start();
    });
  }

  /** Resolves when all postings are answered and the connections are closed. */
  async stop(): Promise<void> {
    while (this.#running !== undefined || this.#inFlight.size > 0) {
      await this.#running;
      await this.#waitForWrites();
    }
    await this.#connections.close();
  }

  #start(): void {
    this.#running ??= this.#run();
  }

  /** Posts until the queue is empty. Never throws, because each posting receives its outcome or error. */
  async #run(): Promise<void> {
    // Calls that arrive in the same turn of the event loop share the first batch.
    await turnOfEventLoop();
    try {
      await this.#postBatches();
    } finally {
      this.#running = undefined;
      // A posting that was queued after the last check has not started another run.
      if (this.#queue.length > 0 || this.#stale.length > 0) this.#start();
    }
  }

  async #postBatches(): Promise<void> {
    while (this.#queue.length > 0 || this.#stale.length > 0) {
      const stale = this.#stale.shift();
      if (stale !== undefined) {
        await this.#postUnderLocks(stale);
      } else if (this.#inFlight.size < IN_FLIGHT_MAX_BATCHES) {
        const batch = this.#queue.splice(0, batchSize(this.#queue, this.#inFlight.size > 0));
        POSTING_BATCHES.observe(batch.length);
        WAITING_POSTINGS.set(this.#queue.length);
        const cached = this.#cache.viewOf(postingsOf(batch));
        await (cached === undefined ? this.#postUnderLocks(batch) : this.#postByCache(batch, cached));
      } else {
        await Promise.race(this.#inFlight);
        await turnOfEventLoop();
      }
    }
  }

  async #waitForWrites(): Promise<void> {
    while (this.#inFlight.size > 0) await Promise.all(this.#inFlight);
  }

  /** Decides a batch on the cache, and sends it without waiting for the previous batch. Never throws. */
  async #postByCache(batch: Waiting[], cached: CachedView): Promise<void> {
    try {
      await loadAccounts(this.#connections.pool, cached.view, cached.missing_account_ids);
      const expected = expectedOf(cached.view, cached.touched);
      const { decisions, changes } = await this.#decide(batch, cached.view);
      if (changes === undefined) answer(batch, decisions);
      else await this.#send({ batch, decisions, changes, expected, cached });
    } catch (error) {
      // Nothing was sent. Under locks, the postings are tried one by one if one of them is at fault.
      if (isContentFault(error)) this.#stale.push(batch);
      else rejectAll(batch, error);
    }
  }

  async #decide(batch: Waiting[], view: LedgerView) {
    const decided = decideBatch(batch, view, this.#runtime.clock().toISOString());
    await this.#runtime.reached('treasury.ledger.decided');
    return decided;
  }

  async #send(decided: DecidedBatch): Promise<void> {
    const { batch, changes, expected } = decided;
    this.#session ??= await this.#connections.pool.session();
    const written = writeIfUnchanged(this.#session, changes, this.#eventsOf(batch, changes), expected);
    // Later batches are decided on this state. If this one is not written, they find another state than they expect.
    this.#cache.remember(decided.cached.view);
    const finished = this.#finish(decided, written).finally(() => {
      this.#inFlight.delete(finished);
      if (this.#inFlight.size === 0) this.#endSession();
      if (this.#stale.length > 0) this.#start();
    });
    this.#inFlight.add(finished);
  }

  /** Answers a batch after it was written, or marks it as stale. Never throws. */
  async #finish({ batch, decisions, cached }: DecidedBatch, written: Promise<boolean>): Promise<void> {
    try {
      if (await written) {
        await this.#reportCommit();
        answer(batch, decisions);
        return;
      }
    } catch (error) {
      if (!isContentFault(error)) {
        this.#isSessionBroken = true;
        this.#cache.forget(cached.touched);
        rejectAll(batch, error);
        return;
      }
    }
    this.#cache.forget(cached.touched);
    this.#stale.push(batch);
  }

  #endSession(): void {
    this.#session?.end(this.#isSessionBroken);
    this.#session = undefined;
    this.#isSessionBroken = false;
  }

  /** Locks the chains and wallets of a batch, then decides and writes it. Never throws. */
  async #postUnderLocks(batch: Waiting[]): Promise<void> {
    await this.#waitForWrites();
    try {
      const { decisions, changes, view } = await this.#transact(batch);
      this.#cache.remember(view);
      if (changes !== undefined) await this.#reportCommit();
      answer(batch, decisions);
    } catch (error) {
      if (batch.length === 1 || !isContentFault(error)) {
        rejectAll(batch, error);
        return;
      }
      // A value of one posting, or another transaction, made the batch fail. Each posting is tried separately, so that one
      // does not fail the others.
      for (const waiting of batch) await this.#postUnderLocks([waiting]);
    }
  }

  /** @throws errors of the database; if isContentFault() is true for an error, nothing was written */
  async #transact(
    batch: Waiting[],
    attempt = 1,
  ): Promise<{ decisions: Decision[]; changes: Changes | undefined; view: LedgerView }> {
    try {
      return await this.#connections.pool.transaction(async (tx) => {
        const view = await lockAndLoad(tx, postingsOf(batch));
        const { decisions, changes } = await this.#decide(batch, view);
        if (changes !== undefined) write(tx, changes, this.#eventsOf(batch, changes));
        return { decisions, changes, view };
      });
    } catch (error) {
      if (attempt === LOCKED_ATTEMPTS_MAX || !isRace(error)) throw error;
      return this.#transact(batch, attempt + 1);
    }
  }

  #eventsOf(batch: readonly Waiting[], { posted }: Changes): OutboxRow[] {
    const causes = new Map(batch.map(({ posting, cause }) => [posting.id, cause]));
    return this.#outbox.rowsOf(
      posted.map((data) => ({
        type: 'transfer.posted',
        association_id: data.association_id,
        data,
        cause: causes.get(data.id),
      })),
    );
  }

  async #reportCommit(): Promise<void> {
    await this.#runtime.reached('treasury.ledger.committed');
    this.#outbox.committed();
  }
}

function postingsOf(batch: readonly Waiting[]): Posting[] {
  return batch.map(({ posting }) => posting);
}

/** Answers each posting with its decision. */
function answer(batch: readonly Waiting[], decisions: readonly Decision[]): void {
  batch.forEach((waiting, index) => {
    const decision = decisions[index];
    if (decision === undefined) waiting.reject(new Error('A posting was not decided'));
    else if (decision.status === 'malformed') waiting.reject(new RangeError(decision.message));
    else waiting.resolve(decision.status === 'repeat' ? decision.outcome : decision);
  });
}

/** Rejects each posting with the error. */
function rejectAll(batch: readonly Waiting[], error: unknown): void {
  for (const waiting of batch) waiting.reject(error as Error);
}

/** Waits until the calls that are ready in this turn of the event loop have run. */
function turnOfEventLoop(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
