import { getCorrection, listCorrections } from '../../../lib/contracts/treasury.ts';
import { problem } from '../../../lib/errors/problem.ts';
import { pageThrough } from '../../../lib/paging/cursors.ts';
import { authorizeCaller } from '../../../lib/service/authorize-caller.ts';
import { implement } from '../../../lib/service/implement.ts';
import type { TreasuryDeps } from '../deps.ts';
import { findShownCorrection, listShownCorrections } from './correction.store.ts';
import { showCorrection } from './correction.view.ts';

/** Lists the association's corrections, newest first. */
export const listCorrectionsAction = ({ reads, cursors }: TreasuryDeps) =>
  implement(listCorrections, async ({ path: { association_id }, query }, caller, ctx) => {
    await authorizeCaller(ctx, caller, association_id, 'read');
    return pageThrough(
      cursors,
      `corrections/${association_id}`,
      query,
      (after, limit) => listShownCorrections(reads, association_id, after?.[0] ?? null, limit),
      (correction) => [correction.id],
      showCorrection,
    );
  });

/** Reads a correction of the association. */
export const getCorrectionAction = ({ reads }: TreasuryDeps) =>
  implement(getCorrection, async ({ path: { association_id, correction_id } }, caller, ctx) => {
    await authorizeCaller(ctx, caller, association_id, 'read');
    const correction = await findShownCorrection(reads, association_id, correction_id);
    if (correction === undefined) throw problem('not_found');
    return showCorrection(correction);
  });
