import type { TransferRecord } from '../../../../lib/contracts/treasury.ts';
import type { Outbox } from '../../../../lib/events/outbox.ts';
import type { Runtime } from '../../../../lib/node/runtime.ts';
import { decide } from '../../domain/ledger.ts';
import type { Decision, LedgerView } from '../../domain/ledger.ts';
import type { Waiting } from './batch.ts';
import { changesOf } from './changes.ts';
import type { Changes } from './changes.ts';

/** What became of each posting of a batch, and what that changes: undefined for nothing. */
export interface DecidedBatch {
  decisions: Decision[];
  changes: Changes | undefined;
}

/** Decides each posting in turn, and brings the view forward. */
export function decideBatch(
  { runtime, outbox }: { runtime: Pick<Runtime, 'clock'>; outbox: Outbox },
  view: LedgerView,
  batch: readonly Waiting[],
): DecidedBatch {
  const posted_at = runtime.clock().toISOString();
  const decisions = batch.map(({ posting, fingerprint }) => decide(view, posting, fingerprint, posted_at));
  return { decisions, changes: changesOf(view, batch, decisions, posted_at, factsAsColumns(outbox)) };
}

function factsAsColumns(outbox: Outbox) {
  return (transfers: TransferRecord[]) =>
    outbox.columnsOf(transfers.map((data) => ({ type: 'transfer.posted', association_id: data.association_id, data })));
}
