import type { Caller, EndpointInput } from '../../../lib/contracts/action.ts';
import { putSheet, type Sheet } from '../../../lib/contracts/contribution.ts';
import { cashBox } from '../../../lib/contracts/treasury.ts';
import { isRace } from '../../../lib/db/errors.ts';
import type { Transaction } from '../../../lib/db/db.ts';
import { problem, type Problem } from '../../../lib/errors/problem.ts';
import type { Operation } from '../../../lib/idempotency/operation.ts';
import { authorizeCaller } from '../../../lib/service/authorize-caller.ts';
import { call } from '../../../lib/service/call.ts';
import { implementWrite } from '../../../lib/service/implement-write.ts';
import { answerLocation, answerStatus, type CallContext } from '../../../lib/service/implement.ts';
import { preferPreconditionFailed, requireIfMatch, requireUnchanged } from '../../../lib/service/preconditions.ts';
import type { ContributionDeps } from '../deps.ts';
import { findMeeting } from '../meetings/meeting.store.ts';
import { checkSheet, readContent, requireSheetId, type Content } from './sheet.rules.ts';
import { findSheet, insertSheet, lockSheet, replaceSheet } from './sheet.store.ts';
import { NEVER_SUBMITTED, sheetStatus, type SheetRow, type ShownSheetRow } from './sheet.table.ts';
import { showSheet } from './sheet.view.ts';

/** Stores a sheet under the id that the client has chosen, or replaces a draft. */
export function putSheetAction(deps: ContributionDeps) {
  return implementWrite(
    deps,
    putSheet,
    async (input, caller, ctx, operation) => {
      try {
        return await put(deps, input, caller, ctx, operation);
      } catch (error) {
        // Another request has stored a sheet with this id meanwhile.
        if (!isRace(error)) throw error;
        return put(deps, input, caller, ctx, operation);
      }
    },
    { check: checkSheet },
  );
}

async function put(
  { db, runtime }: ContributionDeps,
  { path, body }: EndpointInput<typeof putSheet>,
  caller: Caller,
  ctx: CallContext,
  operation: Operation,
): Promise<Sheet> {
  const { association_id, meeting_id, sheet_id: id } = path;
  const { currency } = await findMeeting(db, path);
  const found = await findSheet(db, path);
  const content = readContent(meeting_id, currency, body);
  const requireSeen = async () => (isSame(found, content) ? undefined : requirePrecondition(ctx, found));
  const authorizing = authorizeCaller(ctx, caller, association_id, 'record_sheet');
  const { member } = await preferPreconditionFailed(authorizing, requireSeen);
  requireSheetId(id);
  await requireSeen();
  if (content instanceof Error) throw content;
  if (!isSame(found, content)) requireDraft(found);
  const { cash_minor } = await call(ctx, cashBox, { association_id });

  const write = async (tx: Transaction, stored: ShownSheetRow | undefined): Promise<ShownSheetRow> => {
    await requirePrecondition(ctx, stored);
    requireDraft(stored);
    const written: SheetRow = {
      id,
      association_id,
      meeting_id,
      currency,
      ...content,
      box_minor: BigInt(cash_minor),
      recorded_by_member_id: member.member_id,
      submission_id: null,
      created_at: stored?.created_at ?? runtime.clock(),
    };
    if (stored === undefined) await insertSheet(tx, written);
    else replaceSheet(tx, written);
    return { ...written, ...NEVER_SUBMITTED };
  };
  return db.transaction(async (tx) => {
    lockSheet(tx, id);
    const stored = await findSheet(tx, path);
    const answer = showSheet(stored !== undefined && isSame(stored, content) ? stored : await write(tx, stored));
    if (stored === undefined)
      answerLocation(ctx, `/associations/${association_id}/meetings/${meeting_id}/sheets/${id}`);
    else answerStatus(ctx, 200);
    await operation.keep(tx, answer);
    return answer;
  });
}

/** Whether the sheet has this content already. Then the request changes nothing, whatever the state of the sheet. */
function isSame(stored: ShownSheetRow | undefined, content: Content | Problem): boolean {
  return !(content instanceof Error) && stored?.sheet_hash === content.sheet_hash;
}

/**
 * Checks that the caller has seen the draft that the request replaces.
 * @throws precondition_required, precondition_failed
 */
async function requirePrecondition(ctx: CallContext, stored: ShownSheetRow | undefined): Promise<void> {
  if (stored !== undefined && sheetStatus(stored) === 'draft') requireIfMatch(ctx);
  await requireUnchanged(ctx, () => (stored === undefined ? undefined : showSheet(stored)));
}

/** @throws sheet_not_draft */
function requireDraft(stored: ShownSheetRow | undefined): void {
  if (stored !== undefined && sheetStatus(stored) !== 'draft') throw problem('sheet_not_draft');
}
