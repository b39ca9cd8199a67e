import * as contract from '../../../lib/contracts/contribution.ts';
import { pageThrough } from '../../../lib/paging/cursors.ts';
import { authorizeCaller } from '../../../lib/service/authorize-caller.ts';
import { implement } from '../../../lib/service/implement.ts';
import type { ContributionDeps } from '../deps.ts';
import { findMeeting } from '../meetings/meeting.store.ts';
import { listSheets, readSheet } from './sheet.store.ts';
import { showSheet } from './sheet.view.ts';

/** Lists the sheets of a meeting, newest first. */
export function listSheetsAction({ reads, cursors }: ContributionDeps) {
  return implement(contract.listSheets, async ({ path, query }, caller, ctx) => {
    const { id: meeting_id } = await findMeeting(reads, path);
    await authorizeCaller(ctx, caller, path.association_id, 'read');
    return pageThrough(
      cursors,
      `sheets:${meeting_id}`,
      query,
      (before, limit) => listSheets(reads, meeting_id, before, limit),
      (row) => [row.created_at.toISOString(), row.id],
      showSheet,
    );
  });
}

/** Returns one sheet. */
export function getSheetAction({ reads }: ContributionDeps) {
  return implement(contract.getSheet, async ({ path }, caller, ctx) => {
    const row = await readSheet(reads, path);
    await authorizeCaller(ctx, caller, path.association_id, 'read');
    return showSheet(row);
  });
}
