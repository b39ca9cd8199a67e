import type pg from 'pg';
import type { TransferRecord } from '../../../../lib/contracts/treasury.ts';
import { problem } from '../../../../lib/errors/problem.ts';
import { isContentFault } from '../../../../lib/persistence/violations.ts';
import type { Outbox } from '../../../../lib/events/outbox.ts';
import type { Runtime } from '../../../../lib/runtime/runtime.ts';
import { decide } from '../../domain/ledger.ts';
import type { Decision, LedgerView } from '../../domain/ledger.ts';
import { accountsOf, assertWellFormed, fingerprintOf } from '../../domain/posting.ts';
import type { Outcome, Posting } from '../../domain/posting.ts';
import { changesOf } from './changes.ts';
import type { Changes } from './changes.ts';
import { expectedOf, KnownState, loadMissing } from './known-state.ts';
import type { Expected, KnownView } from './known-state.ts';
import { Line } from './line.ts';
import { lock } from './lock.ts';
import { writeAndCommit, writeIfUnchanged } from './write.ts';

/** Enough to spread the cost of a flush until it no longer counts; more only makes those at its end wait. */
const BATCH_MAX_POSTINGS = 1_000;

/** Settlements can be large: this many legs in one statement take some 100 ms. A larger posting goes alone. */
const BATCH_MAX_LEGS = 20_000;

/** Each chain takes a place in the server's lock table, which has some thousands for all its sessions. */
const BATCH_MAX_CHAINS = 200;

/** One is written while the next is decided; a third would only wait, and be smaller for it. */
const ON_THEIR_WAY_MAX_BATCHES = 2;

/** From twice as many on it is worth a second statement to have one half written while the other is decided. */
const HALF_MIN_POSTINGS = 24;

/** Some seconds' worth of work. Whoever comes later is better served by a refusal than by waiting. */
const QUEUE_MAX_POSTINGS = 50_000;

/** A batch that met another process at the same id finds the first outcome on its next attempt. */
const ATTEMPTS_MAX = 3;

const UNIQUE_VIOLATION = '23505';
const DEADLOCK = '40P01';

interface Waiting {
  posting: Posting;
  fingerprint: string;
  resolve: (outcome: Outcome) => void;
  reject: (error: Error) => void;
}

/** A batch that is decided, and what it was decided by. */
interface Decided {
  batch: Waiting[];
  decisions: Decision[];
  changes: Changes;
  expected: Expected;
  known: KnownView;
}

export interface LedgerWriterDeps {
  pool: pg.Pool;
  outbox: Outbox;
  runtime: Pick<Runtime, 'clock' | 'reached'>;
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
  readonly #line: Line;
  #queue: Waiting[] = [];
  /** Batches that found the ledger changed. */
  #overtaken: Waiting[][] = [];
  /** Batches that are being written. */
  readonly #onTheirWay = new Set<Promise<void>>();
  #working: Promise<void> | undefined;

  constructor(deps: LedgerWriterDeps) {
    this.#deps = deps;
    this.#line = new Line(deps.pool);
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
    while (this.#working !== undefined || this.#onTheirWay.size > 0) {
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
      } else if (this.#onTheirWay.size < ON_THEIR_WAY_MAX_BATCHES) {
        await this.#post(this.#takeBatch());
      } else {
        await Promise.race(this.#onTheirWay);
        await turnOfEventLoop();
      }
    }
  }

  async #allWritten(): Promise<void> {
    while (this.#onTheirWay.size > 0) await Promise.all(this.#onTheirWay);
  }

  #takeBatch(): Waiting[] {
    const there = this.#queue.length;
    const isHalved = this.#onTheirWay.size === 0 && there >= 2 * HALF_MIN_POSTINGS;
    const size_max = Math.min(isHalved ? Math.ceil(there / 2) : there, BATCH_MAX_POSTINGS);
    let legs = 0;
    let size = 0;
    const chains = new Set<string>();
    for (const { posting } of this.#queue) {
      legs += accountsOf(posting).length;
      chains.add(posting.chain_id);
      if (size === size_max || chains.size > BATCH_MAX_CHAINS) break;
      if (size > 0 && legs > BATCH_MAX_LEGS) break;
      size += 1;
    }
    return this.#queue.splice(0, size);
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
      const { decisions, changes } = this.#decideAll(known.view, batch);
      await runtime.reached('treasury.ledger.locked');
      if (changes === undefined) answer(batch, decisions);
      else await this.#send({ batch, decisions, changes, expected, known });
    } catch (error) {
      rejectAll(batch, error);
    }
  }

  async #send(decided: Decided): Promise<void> {
    const { changes, expected, known } = decided;
    const written = await this.#line.send((client) => writeIfUnchanged(client, changes, expected));
    // Ahead of its time: if it is not written, what is decided on top of it finds another state than it expects.
    this.#known.learn(known.view);
    const way = this.#arrive(decided, written.answer).finally(() => {
      this.#onTheirWay.delete(way);
      if (this.#overtaken.length > 0) this.#work();
    });
    this.#onTheirWay.add(way);
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
      answer(batch, await this.#attempts(batch));
    } catch (error) {
      if (batch.length === 1 || !isContentFault(error)) {
        rejectAll(batch, error);
        return;
      }
      // One of them broke a constraint, which the rules should have foreseen: the others must not suffer for it.
      for (const waiting of batch) await this.#postUnderLocks([waiting]);
    }
  }

  async #attempts(batch: Waiting[]): Promise<Decision[]> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#attempt(batch);
      } catch (error) {
        if (attempt === ATTEMPTS_MAX || !isRace(error)) throw error;
      }
    }
  }

  async #attempt(batch: Waiting[]): Promise<Decision[]> {
    const { pool, runtime } = this.#deps;
    const client = await pool.connect();
    let broken = true;
    try {
      const view = await lock(client, postingsOf(batch));
      const { decisions, changes } = this.#decideAll(view, batch);
      await runtime.reached('treasury.ledger.locked');
      if (changes === undefined) await client.query('ROLLBACK');
      else await writeAndCommit(client, changes);
      broken = false;
      this.#known.learn(view);
      if (changes !== undefined) await this.#committed();
      return decisions;
    } finally {
      // A session in an unknown state is ended, which rolls back whatever it held.
      client.release(broken);
    }
  }

  async #committed(): Promise<void> {
    await this.#deps.runtime.reached('treasury.ledger.committed');
    this.#deps.eventsCommitted();
  }

  #decideAll(view: LedgerView, batch: readonly Waiting[]): { decisions: Decision[]; changes: Changes | undefined } {
    const { runtime, outbox } = this.#deps;
    const posted_at = runtime.clock().toISOString();
    const decisions = batch.map(({ posting, fingerprint }) => decide(view, posting, fingerprint, posted_at));
    return { decisions, changes: changesOf(view, batch, decisions, posted_at, factsAsColumns(outbox)) };
  }
}

function postingsOf(batch: readonly Waiting[]): Posting[] {
  return batch.map(({ posting }) => posting);
}

function turnOfEventLoop(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

function factsAsColumns(outbox: Outbox) {
  return (transfers: TransferRecord[]) =>
    outbox.columnsOf(transfers.map((data) => ({ type: 'transfer.posted', association_id: data.association_id, data })));
}

function answer(batch: readonly Waiting[], decisions: readonly Decision[]): void {
  batch.forEach((waiting, index) => {
    const decision = decisions[index];
    if (decision === undefined) waiting.reject(new Error('A posting was not decided'));
    else if (decision.status === 'mistake') waiting.reject(new RangeError(decision.message));
    else waiting.resolve(decision.status === 'repeat' ? decision.outcome : decision);
  });
}

function rejectAll(batch: readonly Waiting[], error: unknown): void {
  for (const waiting of batch) waiting.reject(error as Error);
}

/** Another process was first with an id, or with a lock: looking again settles it. */
function isRace(error: unknown): boolean {
  const { code } = error as { code?: unknown };
  return code === UNIQUE_VIOLATION || code === DEADLOCK;
}
