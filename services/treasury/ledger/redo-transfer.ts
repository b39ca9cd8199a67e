import type { TransferRecord } from '../../../lib/contracts/treasury.ts';
import type { Transaction } from '../../../lib/db/db.ts';
import type { Outbox } from '../../../lib/events/outbox.ts';
import { decideBatch } from './batch.rules.ts';
import { GENESIS_HASH } from './chain.rules.ts';
import { loadView, write } from './ledger.store.ts';
import { assertWellFormed, fingerprintOf, type Posting } from './posting.rules.ts';

/** The place of a lost transfer in its chain, from a record of it. */
export type Place = Pick<TransferRecord, 'seq' | 'posted_at' | 'prev_hash' | 'hash'>;

/**
 * `restored`: the transfer is in its chain again, exactly as recorded, and its recorded event is true again. `posted`: it
 * was posted anew, with a new event. `known`: the ledger has it. `refused`: nothing was written, and nothing will be under
 * this id until it is tried again.
 */
export type Redone = { status: 'restored' | 'posted' | 'known' } | { status: 'refused'; code: string };

/**
 * Repeats a posting that a restored ledger has lost, in the caller's transaction. Unlike LedgerWriter it stores no refusal,
 * as the posting was accepted before, and locks nothing: the services must be stopped. Two repairs at once would violate
 * the unique keys of chains, entries and ids.
 * @param place where it was; undefined if no record has it. If its chain has other transfers by now, it is posted anew
 */
export async function redoTransfer(
  tx: Transaction,
  outbox: Outbox,
  posting: Posting,
  place: Place | undefined,
  now: Date,
): Promise<Redone> {
  assertWellFormed(posting);
  const batch = [{ posting, fingerprint: fingerprintOf(posting) }];
  const view = await loadView(tx, [posting]);
  const known = view.known.get(posting.id);
  if (known !== undefined) {
    return known.outcome.status === 'posted'
      ? { status: 'known' }
      : { status: 'refused', code: known.outcome.refusal.code };
  }
  const head = view.chains.get(posting.chain_id) ?? { seq: 0n, hash: GENESIS_HASH };
  const isNext = place !== undefined && Number(head.seq) + 1 === place.seq && head.hash === place.prev_hash;
  const { decisions, changes } = decideBatch(batch, view, isNext ? place.posted_at : now.toISOString());
  const [decision] = decisions;
  if (decision?.status === 'refused') return { status: 'refused', code: decision.refusal.code };
  if (decision?.status !== 'posted' || changes === undefined) return { status: 'refused', code: 'malformed' };
  if (isNext && decision.transfer.hash !== place.hash) return { status: 'refused', code: 'another hash' };
  const { association_id } = posting;
  const event = { type: 'transfer.posted', association_id, data: decision.transfer } as const;
  write(tx, changes, isNext ? [] : outbox.rowsOf([event]));
  return { status: isNext ? 'restored' : 'posted' };
}
