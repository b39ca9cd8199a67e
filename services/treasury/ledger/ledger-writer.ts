import type { Database } from '../../../lib/db/database.ts';
import type { Pool, Session } from '../../../lib/db/db.ts';
import { isContentFault, isRace } from '../../../lib/db/errors.ts';
import { problem } from '../../../lib/errors/problem.ts';
import type { Outbox, OutboxColumns } from '../../../lib/events/outbox.ts';
import type { Runtime } from '../../../lib/node/runtime.ts';
import { batchSize, decideBatch, expectedOf, type Asked, type Changes, type Expected } from './batch.rules.ts';
import type { Decision, LedgerView } from './decide.rules.ts';
import { LedgerCache, type CachedView } from './ledger-cache.ts';
import { loadAccounts, lockAndLoad, write, writeIfUnchanged } from './ledger.store.ts';
import { assertWellFormed, fingerprintOf, type Outcome, type Posting } from './posting.rules.ts';

/** One for the batches, which are sent in order; one to look up accounts that are not in the cache, meanwhile. */
const CONNECTIONS_MAX = 2;

/** One is written while the next is decided; a third would only wait, and be smaller for it. */
const IN_FLIGHT_MAX_BATCHES = 2;

/** Some seconds of work. A refusal serves later requests better than a longer wait. */
const QUEUE_MAX_POSTINGS = 50_000;

/** A batch that met another process at the same id finds the first outcome on its next attempt. */
const LOCKED_ATTEMPTS_MAX = 3;

export interface LedgerWriterDeps {
  db: Pick<Database, 'openBatches'>;
  outbox: Outbox;
  runtime: Pick<Runtime, 'clock' | 'reached'>;
}

/** A posting that waits for its outcome. */
interface Waiting extends Asked {
  resolve: (outcome: Outcome) => void;
  reject: (error: Error) => void;
}

/** A batch that is decided, and what it was decided by. */
interface DecidedBatch {
  batch: Waiting[];
  decisions: Decision[];
  changes: Changes;
  expected: Expected;
  cached: CachedView;
}

/**
 * Posts to the ledger in group commits: queue → decide → write. Postings that arrive while a batch is written form the
 * next one; each is decided in turn, and one statement writes them all. Where the cache has the heads of all chains, a
 * batch is decided by the cache while the one before it is still being written, and the statement writes only if the
 * ledger is as the cache had it. Where it has not, or another process has posted meanwhile, the batch is posted under
 * locks, taken in a fixed order. Any number of writers, in any number of processes, may work on one database: its locks
 * and constraints decide.
 */
export class LedgerWriter {
  readonly #outbox: Outbox;
  readonly #runtime: LedgerWriterDeps['runtime'];
  readonly #connections: { pool: Pool; close(): Promise<void> };
  readonly #cache = new LedgerCache();
  #queue: Waiting[] = [];
  /** Batches that were decided by what is no longer so. */
  #overtaken: Waiting[][] = [];
  /** Batches that are being written. */
  readonly #inFlight = new Set<Promise<void>>();
  /** Sends them in order; given back when none is left. */
  #session: Session | undefined;
  #isSessionBroken = false;
  #working: Promise<void> | undefined;

  constructor({ db, outbox, runtime }: LedgerWriterDeps) {
    this.#outbox = outbox;
    this.#runtime = runtime;
    this.#connections = db.openBatches(CONNECTIONS_MAX);
  }

  /**
   * Posts once for each id, and gives what became of it, the first time or now.
   * @throws RangeError for a posting that is a mistake of ours; any other error means that the outcome is unknown:
   *   post again with the same id to learn it
   */
  async post(posting: Posting): Promise<Outcome> {
    assertWellFormed(posting);
    if (this.#queue.length >= QUEUE_MAX_POSTINGS) throw problem('service_unavailable');
    const fingerprint = fingerprintOf(posting);
    return new Promise<Outcome>((resolve, reject) => {
      this.#queue.push({ posting, fingerprint, resolve, reject });
      this.#work();
    });
  }

  /** Resolves when all that was asked for is decided, and the connections are closed. */
  async stop(): Promise<void> {
    while (this.#working !== undefined || this.#inFlight.size > 0) {
      await this.#working;
      await this.#allWritten();
    }
    await this.#connections.close();
  }

  #work(): void {
    this.#working ??= this.#postAll();
  }

  /** Never throws: each posting is answered. */
  async #postAll(): Promise<void> {
    // Calls that arrive in the same turn of the event loop share the first batch.
    await turnOfEventLoop();
    try {
      await this.#postQueue();
    } finally {
      this.#working = undefined;
      // A posting that came after the last look at the queue has found this still at work.
      if (this.#queue.length > 0 || this.#overtaken.length > 0) this.#work();
    }
  }

  async #postQueue(): Promise<void> {
    while (this.#queue.length > 0 || this.#overtaken.length > 0) {
      const overtaken = this.#overtaken.shift();
      if (overtaken !== undefined) {
        await this.#postUnderLocks(overtaken);
      } else if (this.#inFlight.size < IN_FLIGHT_MAX_BATCHES) {
        const batch = this.#queue.splice(0, batchSize(this.#queue, this.#inFlight.size > 0));
        const cached = this.#cache.viewOf(postingsOf(batch));
        await (cached === undefined ? this.#postUnderLocks(batch) : this.#postAhead(batch, cached));
      } else {
        await Promise.race(this.#inFlight);
        await turnOfEventLoop();
      }
    }
  }

  async #allWritten(): Promise<void> {
    while (this.#inFlight.size > 0) await Promise.all(this.#inFlight);
  }

  /** Decides a batch by the cache, and sends it without waiting for the batch before it. Never throws. */
  async #postAhead(batch: Waiting[], cached: CachedView): Promise<void> {
    try {
      await loadAccounts(this.#connections.pool, cached.view, cached.missing_account_ids);
      const expected = expectedOf(cached.view, cached.touched);
      const { decisions, changes } = await this.#decide(batch, cached.view);
      if (changes === undefined) answer(batch, decisions);
      else await this.#send({ batch, decisions, changes, expected, cached });
    } catch (error) {
      // Nothing was sent. Under locks each goes alone where one of them is at fault.
      if (isContentFault(error)) this.#overtaken.push(batch);
      else rejectAll(batch, error);
    }
  }

  async #decide(batch: Waiting[], view: LedgerView) {
    const decided = decideBatch(batch, view, this.#runtime.clock().toISOString());
    await this.#runtime.reached('treasury.ledger.locked');
    return decided;
  }

  async #send(decided: DecidedBatch): Promise<void> {
    const { changes, expected } = decided;
    this.#session ??= await this.#connections.pool.session();
    const written = writeIfUnchanged(this.#session, changes, this.#eventsOf(changes), expected);
    // Ahead of its time: if it is not written, what is decided on top of it finds another state than it expects.
    this.#cache.remember(decided.cached.view);
    const finished = this.#finish(decided, written).finally(() => {
      this.#inFlight.delete(finished);
      if (this.#inFlight.size === 0) this.#endSession();
      if (this.#overtaken.length > 0) this.#work();
    });
    this.#inFlight.add(finished);
  }

  /** Answers a batch when it is written; never throws. */
  async #finish({ batch, decisions, cached }: DecidedBatch, written: Promise<boolean>): Promise<void> {
    try {
      if (await written) {
        await this.#committed();
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
    this.#overtaken.push(batch);
  }

  #endSession(): void {
    this.#session?.end(this.#isSessionBroken);
    this.#session = undefined;
    this.#isSessionBroken = false;
  }

  /** Posts a batch by what is there once all that it touches is locked. Never throws: each of the batch is answered. */
  async #postUnderLocks(batch: Waiting[]): Promise<void> {
    await this.#allWritten();
    try {
      const { decisions, changes, view } = await this.#transact(batch);
      this.#cache.remember(view);
      if (changes !== undefined) await this.#committed();
      answer(batch, decisions);
    } catch (error) {
      if (batch.length === 1 || !isContentFault(error)) {
        rejectAll(batch, error);
        return;
      }
      // One of them broke a constraint, which the rules should have foreseen: the others must not suffer for it.
      for (const waiting of batch) await this.#postUnderLocks([waiting]);
    }
  }

  /** @throws whatever the database says; isContentFault() says whether nothing was written */
  async #transact(
    batch: Waiting[],
    attempt = 1,
  ): Promise<{ decisions: Decision[]; changes: Changes | undefined; view: LedgerView }> {
    try {
      return await this.#connections.pool.transaction(async (tx) => {
        const view = await lockAndLoad(tx, postingsOf(batch));
        const { decisions, changes } = await this.#decide(batch, view);
        if (changes !== undefined) write(tx, changes, this.#eventsOf(changes));
        return { decisions, changes, view };
      });
    } catch (error) {
      if (attempt === LOCKED_ATTEMPTS_MAX || !isRace(error)) throw error;
      return this.#transact(batch, attempt + 1);
    }
  }

  #eventsOf({ posted }: Changes): OutboxColumns {
    return this.#outbox.columnsOf(
      posted.map((data) => ({ type: 'transfer.posted', association_id: data.association_id, data })),
    );
  }

  async #committed(): Promise<void> {
    await this.#runtime.reached('treasury.ledger.committed');
    this.#outbox.committed();
  }
}

function postingsOf(batch: readonly Waiting[]): Posting[] {
  return batch.map(({ posting }) => posting);
}

/** Answers each posting with what was decided of it. */
function answer(batch: readonly Waiting[], decisions: readonly Decision[]): void {
  batch.forEach((waiting, index) => {
    const decision = decisions[index];
    if (decision === undefined) waiting.reject(new Error('A posting was not decided'));
    else if (decision.status === 'mistake') waiting.reject(new RangeError(decision.message));
    else waiting.resolve(decision.status === 'repeat' ? decision.outcome : decision);
  });
}

/** Rejects each: nothing is known of what became of it. */
function rejectAll(batch: readonly Waiting[], error: unknown): void {
  for (const waiting of batch) waiting.reject(error as Error);
}

function turnOfEventLoop(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
