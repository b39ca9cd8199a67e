import type pg from 'pg';
import type { Outbox } from '../../../../lib/events/outbox.ts';
import { isRace } from '../../../../lib/db/errors.ts';
import type { Runtime } from '../../../../lib/runtime/runtime.ts';
import type { Decision, LedgerView } from '../../domain/ledger.ts';
import { postingsOf } from './batch.ts';
import type { Waiting } from './batch.ts';
import { decideBatch } from './decide-batch.ts';
import { lock } from './lock.ts';
import { writeAndCommit } from './write.ts';

/** A batch that met another process at the same id finds the first outcome on its next attempt. */
const ATTEMPTS_MAX = 3;

export interface LockedPostingDeps {
  pool: pg.Pool;
  outbox: Outbox;
  runtime: Pick<Runtime, 'clock' | 'reached'>;
}

/** A batch that was posted, with the part of the ledger that it touched as it is then. */
export interface PostedBatch {
  decisions: Decision[];
  view: LedgerView;
  /** Whether anything was written. */
  has_written: boolean;
}

/**
 * Posts a batch in one transaction, judged by what is there once everything that it touches is locked.
 * @throws whatever the database says; isContentFault() tells whether nothing was written
 */
export async function postUnderLocks(deps: LockedPostingDeps, batch: readonly Waiting[]): Promise<PostedBatch> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await postOnce(deps, batch);
    } catch (error) {
      if (attempt === ATTEMPTS_MAX || !isRace(error)) throw error;
    }
  }
}

async function postOnce(deps: LockedPostingDeps, batch: readonly Waiting[]): Promise<PostedBatch> {
  const client = await deps.pool.connect();
  let broken = true;
  try {
    const view = await lock(client, postingsOf(batch));
    const { decisions, changes } = decideBatch(deps, view, batch);
    await deps.runtime.reached('treasury.ledger.locked');
    if (changes === undefined) await client.query('ROLLBACK');
    else await writeAndCommit(client, changes);
    broken = false;
    return { decisions, view, has_written: changes !== undefined };
  } finally {
    // A session in an unknown state is ended, which rolls back whatever it held.
    client.release(broken);
  }
}
