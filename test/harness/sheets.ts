/** Acts on meeting sheets for integration tests of contribution. */
import type { Decision } from '../../lib/contracts/approvals.ts';
import * as contract from '../../lib/contracts/contribution.ts';
import type { Sheet, SheetLine } from '../../lib/contracts/contribution.ts';
import type { FineRule } from '../../lib/contracts/membership.ts';
import type { ContributionHarness, Group, MeetingIds, Person } from './contribution.ts';
import { RIGHT_PIN } from './fakes/membership.ts';
import { refusalOf } from './refusal.ts';
import type { CallOptions } from './service-harness.ts';

/** A rule of the fines that fine() assesses. */
export const FINES: FineRule[] = [{ code: 'phone', trigger: 'manual', amount: 300, grace_days: 0, repeat: 'once' }];

/** Returns functions that write, submit and decide sheets through the harness. */
export function sheetActs(harness: ContributionHarness) {
  const { governance, treasury } = harness;

  let lines_made = 0;
  const line = ({ member_id }: Person, amount: number, more: Partial<SheetLine> = {}): SheetLine => {
    lines_made += 1;
    return { line_id: `line ${String(lines_made)}`, kind: 'contribution', member_id, amount, ...more };
  };
  const pathOf = (meeting: MeetingIds, sheet_id: string) => {
    return { association_id: meeting.association_id, meeting_id: meeting.id, sheet_id };
  };
  const put = (
    by: Person,
    meeting: MeetingIds,
    sheet_id: string,
    body: Partial<Pick<Sheet, 'counted_cash' | 'attendance' | 'lines'>> & { note?: string } = {},
    options: CallOptions = {},
  ) => {
    const lines = body.lines ?? [];
    const counted_cash = lines.reduce((sum, { amount }) => sum + amount, 0);
    const input = { path: pathOf(meeting, sheet_id), body: { counted_cash, ...body, lines } };
    return harness.as(by.user_id, contract.putSheet, input, options);
  };
  const submit = (
    by: Person,
    sheet: Sheet,
    { sheet_hash = sheet.sheet_hash, key }: { sheet_hash?: string; key?: string } = {},
  ) => {
    const path = { association_id: sheet.association_id, meeting_id: sheet.meeting_id, sheet_id: sheet.id };
    return harness.as(by.user_id, contract.submitSheet, { path, body: { pin: RIGHT_PIN, sheet_hash } }, { key });
  };
  const read = (by: Person, { association_id, meeting_id, id: sheet_id }: Sheet) =>
    harness.as(by.user_id, contract.getSheet, { path: { association_id, meeting_id, sheet_id } });
  const decide = async (sheet: Sheet, decision: Decision = 'approved', approval_id?: string) => {
    const opened = governance.approvalsOf(sheet.id).at(-1)!;
    return harness.command(contract.executeApproval, {
      approval_id: approval_id ?? opened.approval_id,
      association_id: sheet.association_id,
      subject_type: 'meeting_sheet',
      subject_id: sheet.id,
      decision,
      payload: opened.payload,
    });
  };
  /** Writes and submits a sheet with these lines. */
  const submitted = async (
    by: Person,
    meeting: MeetingIds,
    lines: SheetLine[],
    more: { attendance?: Sheet['attendance'] } = {},
  ) => {
    const counted_cash = boxOf(meeting) + lines.reduce((sum, { amount }) => sum + amount, 0);
    return submit(by, await put(by, meeting, harness.newId(), { lines, counted_cash, ...more }));
  };
  const boxOf = ({ association_id }: { association_id: string }) =>
    0 - treasury.balance(`${association_id}/cash_funding`);
  const fine = ({ president, association_id }: Group, { member_id }: Person) =>
    harness.as(president.user_id, contract.assessFine, {
      path: { association_id },
      body: { member_id, code: 'phone', reason: 'It rang' },
    });
  const fineOf = ({ president, association_id }: Group, fine_id: string) =>
    harness.as(president.user_id, contract.getFine, { path: { association_id, fine_id } });
  const errorsOf = async (refused: Promise<unknown>) => {
    const { code, extras } = await refusalOf(refused);
    return [
      code,
      (extras.errors as { pointer: string; code: string; outstanding?: number }[]).map(
        ({ pointer, code: each, outstanding }) => [pointer, each, ...(outstanding === undefined ? [] : [outstanding])],
      ),
    ];
  };
  return { line, put, submit, read, decide, submitted, boxOf, fine, fineOf, errorsOf };
}
