import { jsonb, key, optional, table, text, uuid, type RowOf } from '../../../lib/db/table.ts';
import type { Refusal } from '../../../lib/errors/problem.ts';
import type { StateTable } from '../../../lib/saga/states.ts';

export type ReversalStatus = 'taken' | 'refused' | 'reversed' | 'restored';

/**
 * `taken`: what the transfer has paid is taken back until the treasury knows whether the ledger posts the reversal. `refused`:
 * nothing was taken back.
 */
export const REVERSAL_STATES: StateTable<ReversalStatus> = {
  taken: { next: ['refused', 'reversed', 'restored'] },
  refused: { next: [] },
  reversed: { next: [] },
  restored: { next: [] },
};

/** What corrections of the treasury have taken back. The first outcome for a correction is kept, even if it is a refusal. */
export const reversals = table('reversals', {
  /** The reversal has the same id. */
  correction_id: key(uuid()),
  association_id: uuid(),
  transfer_id: uuid(),
  /** The meeting of the transfer; null if it has none. */
  meeting_id: optional(uuid()),
  status: text<ReversalStatus>(),
  refusal: optional(jsonb<Refusal>()),
});
export type ReversalRow = RowOf<typeof reversals>;
