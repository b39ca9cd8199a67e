import type pg from 'pg';
import type { TransferRecord } from '../../../../lib/contracts/treasury.ts';
import { problem } from '../../../../lib/errors/problem.ts';
import type { Outbox } from '../../../../lib/events/outbox.ts';
import type { Runtime } from '../../../../lib/runtime/runtime.ts';
import { decide } from '../../domain/ledger.ts';
import type { Decision, LedgerView } from '../../domain/ledger.ts';
import { accountsOf, assertWellFormed, fingerprintOf } from '../../domain/posting.ts';
import type { Outcome, Posting } from '../../domain/posting.ts';
import { changesOf } from './changes.ts';
import { lock } from './lock.ts';
import { writeAndCommit } from './write.ts';

/** Enough to spread the cost of a flush until it no longer counts; more only makes those at its end wait. */
const BATCH_MAX_POSTINGS = 1_000;

/** Settlements can be large: this many legs in one statement take some 100 ms. A larger posting goes alone. */
const BATCH_MAX_LEGS = 20_000;

/** Each chain takes a place in the server's lock table, which has some thousands for all its sessions. */
const BATCH_MAX_CHAINS = 200;

/** Some seconds' worth of work. Whoever comes later is better served by a refusal than by waiting. */
const QUEUE_MAX_POSTINGS = 50_000;

/** A batch that met another process at the same id finds the first outcome on its next attempt. */
const ATTEMPTS_MAX = 3;

/** PostgreSQL's classes of errors that are in what was written: data, constraints, exceptions of triggers. */
const CONTENT_FAULT = /^(22|23|P0)/;
const UNIQUE_VIOLATION = '23505';
const DEADLOCK = '40P01';

interface Waiting {
  posting: Posting;
  fingerprint: string;
  resolve: (outcome: Outcome) => void;
  reject: (error: Error) => void;
}

export interface LedgerWriterDeps {
  pool: pg.Pool;
  outbox: Outbox;
  runtime: Pick<Runtime, 'clock' | 'reached'>;
  /** Called after each commit that wrote events. */
  eventsCommitted: () => void;
}

/**
 * Posts to the ledger. Whatever has gathered since the last flush is posted in one transaction: locks taken in a fixed
 * order, each posting judged in turn, all of it written by one statement. Any number of writers, in any number of
 * processes, may work on one database: its locks and constraints decide.
 */
export class LedgerWriter {
  readonly #deps: LedgerWriterDeps;
  #queue: Waiting[] = [];
  #flushing: Promise<void> | undefined;

  constructor(deps: LedgerWriterDeps) {
    this.#deps = deps;
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
      this.#flushing ??= this.#flushAll();
    });
  }

  /** Resolves when all that was asked for is decided. */
  async stop(): Promise<void> {
    await this.#flushing;
  }

  async #flushAll(): Promise<void> {
    // Calls that arrive in the same turn of the event loop share the first flush.
    await new Promise(setImmediate);
    while (this.#queue.length > 0) await this.#flush(this.#takeBatch());
    this.#flushing = undefined;
  }

  #takeBatch(): Waiting[] {
    let legs = 0;
    let size = 0;
    const chains = new Set<string>();
    for (const { posting } of this.#queue) {
      legs += accountsOf(posting).length;
      chains.add(posting.chain_id);
      if (size === BATCH_MAX_POSTINGS || chains.size > BATCH_MAX_CHAINS) break;
      if (size > 0 && legs > BATCH_MAX_LEGS) break;
      size += 1;
    }
    return this.#queue.splice(0, size);
  }

  /** Never throws: each of the batch is answered. */
  async #flush(batch: Waiting[]): Promise<void> {
    try {
      answer(batch, await this.#postTogether(batch));
    } catch (error) {
      if (batch.length === 1 || !isContentFault(error)) {
        for (const waiting of batch) waiting.reject(error as Error);
        return;
      }
      // One of them broke a constraint, which the rules should have foreseen: the others must not suffer for it.
      for (const waiting of batch) await this.#flush([waiting]);
    }
  }

  async #postTogether(batch: Waiting[]): Promise<Decision[]> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#attempt(batch);
      } catch (error) {
        if (attempt === ATTEMPTS_MAX || !isRace(error)) throw error;
      }
    }
  }

  async #attempt(batch: Waiting[]): Promise<Decision[]> {
    const { pool, runtime, outbox } = this.#deps;
    const postings = batch.map((waiting) => waiting.posting);
    const client = await pool.connect();
    let broken = true;
    try {
      const view = await lock(client, postings);
      const posted_at = runtime.clock().toISOString();
      const decisions = decideAll(view, batch, posted_at);
      const changes = changesOf(view, batch, decisions, posted_at, factsAsColumns(outbox));
      await runtime.reached('treasury.ledger.locked');
      if (changes === undefined) await client.query('ROLLBACK');
      else await writeAndCommit(client, changes);
      broken = false;
      await runtime.reached('treasury.ledger.committed');
      if (changes !== undefined) this.#deps.eventsCommitted();
      return decisions;
    } finally {
      // A session in an unknown state is ended, which rolls back whatever it held.
      client.release(broken);
    }
  }
}

function decideAll(view: LedgerView, batch: readonly Waiting[], posted_at: string): Decision[] {
  return batch.map(({ posting, fingerprint }) => decide(view, posting, fingerprint, posted_at));
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

function isContentFault(error: unknown): boolean {
  const { code } = error as { code?: unknown };
  return typeof code === 'string' && (CONTENT_FAULT.test(code) || code === DEADLOCK);
}

/** Another process was first with an id, or with a lock: looking again settles it. */
function isRace(error: unknown): boolean {
  const { code } = error as { code?: unknown };
  return code === UNIQUE_VIOLATION || code === DEADLOCK;
}
