import { problem } from '../../../../lib/errors/problem.ts';
import { isContentFault } from '../../../../lib/db/errors.ts';
import type { Decision } from '../../domain/ledger.ts';
import { assertWellFormed, fingerprintOf } from '../../domain/posting.ts';
import type { Outcome, Posting } from '../../domain/posting.ts';
import { answer, batchSize, postingsOf, rejectAll } from './batch.ts';
import type { Waiting } from './batch.ts';
import type { Changes } from './changes.ts';
import { decideBatch } from './decide-batch.ts';
import { expectedOf, KnownState, loadMissing } from './known-state.ts';
import type { Expected, KnownView } from './known-state.ts';
import { PipelinedConnection } from './pipelined-connection.ts';
import { postUnderLocks } from './post-under-locks.ts';
import type { LockedPostingDeps } from './post-under-locks.ts';
import { writeIfUnchanged } from './write.ts';

/** One is written while the next is decided; a third would only wait, and be smaller for it. */
const IN_FLIGHT_MAX_BATCHES = 2;

/** Some seconds' worth of work. Whoever comes later is better served by a refusal than by waiting. */
const QUEUE_MAX_POSTINGS = 50_000;

/** A batch that is decided, and what it was decided by. */
interface Decided {
  batch: Waiting[];
  decisions: Decision[];
  changes: Changes;
  expected: Expected;
  known: KnownView;
}

export interface LedgerWriterDeps extends LockedPostingDeps {
  /** Called after each commit that wrote events. */
  eventsCommitted: () => void;
}

/**
 * Posts to the ledger. Whatever has gathered since the last flush is posted in one transaction, each posting judged in
 * turn, all of it written by one statement. Where the heads of its chains are known, as this process has posted to them
 * before, a batch is judged by the ledger as it is known, while the one before it is still being written; the statement
 * writes only if the ledger is as it was taken to be. Where they are not, or another process has posted meanwhile, the
 * batch is posted under locks, taken in a fixed order. Any number of writers, in any number of processes, may work on
 * one database: its locks and constraints decide.
 */
export class LedgerWriter {
  readonly #deps: LedgerWriterDeps;
  readonly #known = new KnownState();
  readonly #connection: PipelinedConnection;
  #queue: Waiting[] = [];
  /** Batches that found the ledger changed. */
  #overtaken: Waiting[][] = [];
  /** Batches that are being written. */
  readonly #inFlight = new Set<Promise<void>>();
  #working: Promise<void> | undefined;

  constructor(deps: LedgerWriterDeps) {
    this.#deps = deps;
    this.#connection = new PipelinedConnection(deps.pool);
  }

  /**
   * Posts once for each id, and gives what became of it, the first time or now.
   * @throws RangeError for a posting that is a mistake of ours; any other error means that the outcome is unknown, and
   *   that posting again with the same id will tell
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

  /** Resolves when all that was asked for is decided. */
  async stop(): Promise<void> {
    while (this.#working !== undefined || this.#inFlight.size > 0) {
      await this.#working;
      await this.#allWritten();
    }
  }

  #work(): void {
    this.#working ??= this.#postAll();
  }

  /** Never throws: each posting is answered. */
  async #postAll(): Promise<void> {
    // Calls that arrive in the same turn of the event loop share the first batch.
    await turnOfEventLoop();
    try {
      await this.#postWhatIsThere();
    } finally {
      this.#working = undefined;
      // Whoever came after the last look at the queue found it still at work.
      if (this.#queue.length > 0 || this.#overtaken.length > 0) this.#work();
    }
  }

  async #postWhatIsThere(): Promise<void> {
    while (this.#queue.length > 0 || this.#overtaken.length > 0) {
      const overtaken = this.#overtaken.shift();
      if (overtaken !== undefined) {
        await this.#allWritten();
        await this.#postUnderLocks(overtaken);
      } else if (this.#inFlight.size < IN_FLIGHT_MAX_BATCHES) {
        await this.#post(this.#takeBatch());
      } else {
        await Promise.race(this.#inFlight);
        await turnOfEventLoop();
      }
    }
  }

  async #allWritten(): Promise<void> {
    while (this.#inFlight.size > 0) await Promise.all(this.#inFlight);
  }

  #takeBatch(): Waiting[] {
    return this.#queue.splice(0, batchSize(this.#queue, this.#inFlight.size > 0));
  }

  async #post(batch: Waiting[]): Promise<void> {
    const known = this.#known.viewOf(postingsOf(batch));
    if (known !== undefined) {
      await this.#postAsKnown(batch, known);
      return;
    }
    await this.#allWritten();
    await this.#postUnderLocks(batch);
  }

  /** Decides a batch by the ledger as it is known, and sends it on its way. */
  async #postAsKnown(batch: Waiting[], known: KnownView): Promise<void> {
    const { pool, runtime } = this.#deps;
    try {
      await loadMissing(pool, known);
      const expected = expectedOf(known);
      const { decisions, changes } = decideBatch(this.#deps, known.view, batch);
      await runtime.reached('treasury.ledger.locked');
      if (changes === undefined) answer(batch, decisions);
      else await this.#send({ batch, decisions, changes, expected, known });
    } catch (error) {
      // Nothing was sent. Under locks each goes alone where one of them is at fault.
      if (isContentFault(error)) this.#overtaken.push(batch);
      else rejectAll(batch, error);
    }
  }

  async #send(decided: Decided): Promise<void> {
    const { changes, expected, known } = decided;
    const written = await this.#connection.send((client) => writeIfUnchanged(client, changes, expected));
    // Ahead of its time: if it is not written, what is decided on top of it finds another state than it expects.
    this.#known.learn(known.view);
    const way = this.#arrive(decided, written.answer).finally(() => {
      this.#inFlight.delete(way);
      if (this.#overtaken.length > 0) this.#work();
    });
    this.#inFlight.add(way);
  }

  /** Answers a batch when it is written; never throws. */
  async #arrive({ batch, decisions, known }: Decided, written: Promise<boolean>): Promise<void> {
    try {
      if (await written) {
        await this.#committed();
        answer(batch, decisions);
        return;
      }
    } catch (error) {
      if (!isContentFault(error)) {
        this.#known.forget(known.touched);
        rejectAll(batch, error);
        return;
      }
    }
    this.#known.forget(known.touched);
    this.#overtaken.push(batch);
  }

  /** Never throws: each of the batch is answered. */
  async #postUnderLocks(batch: Waiting[]): Promise<void> {
    try {
      const { decisions, view, has_written } = await postUnderLocks(this.#deps, batch);
      this.#known.learn(view);
      if (has_written) await this.#committed();
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

  async #committed(): Promise<void> {
    await this.#deps.runtime.reached('treasury.ledger.committed');
    this.#deps.eventsCommitted();
  }
}

function turnOfEventLoop(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
