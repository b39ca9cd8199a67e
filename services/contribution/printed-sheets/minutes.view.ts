import type { AttendanceEntry, Minutes } from '../../../lib/contracts/contribution.ts';
import { toMajor } from '../../../lib/money/amount.ts';
import { sumsBy } from '../sheets/sheet.rules.ts';
import type { ShownSheetRow } from '../sheets/sheet.table.ts';
import { showSheet } from '../sheets/sheet.view.ts';
import type { OwedByMember } from './form.store.ts';

type Member = Pick<Minutes['lines'][number], 'member_id' | 'display_name'>;

/**
 * Returns the minutes of a meeting from one of its sheets.
 * @param recorded the attendance of the meeting, which a confirmed sheet has become a part of
 */
export function showMinutes(
  row: ShownSheetRow,
  members: readonly Member[],
  recorded: readonly Pick<AttendanceEntry, 'member_id' | 'status'>[],
  owed: ReadonlyMap<string, OwedByMember>,
): Minutes {
  const { id: sheet_id, attendance, recorded_by_member_id: recorder_id, ...sheet } = showSheet(row);
  const major = (minor = 0n) => toMajor(minor, row.currency);
  const entries = sheet.confirmed_at === null ? [...recorded, ...attendance] : recorded;
  const statuses = new Map(entries.map(({ member_id, status }) => [member_id, status]));
  const sums = sumsBy(row.lines, ({ kind, member_id }) => `${kind} ${member_id}`);
  const totals = sumsBy(row.lines, ({ kind }) => kind);
  return {
    sheet_id,
    status: sheet.status,
    lines: members.map(({ member_id, display_name }) => {
      const { outstanding_minor = 0n, arrears_minor = 0n, fines_minor = 0n } = owed.get(member_id) ?? {};
      return {
        member_id,
        display_name,
        attendance: statuses.get(member_id) ?? null,
        paid: major(sums.get(`contribution ${member_id}`)),
        fines_paid: major(sums.get(`fine ${member_id}`)),
        to_treasury: major(sums.get(`treasury ${member_id}`)),
        owed: major(outstanding_minor + arrears_minor + fines_minor),
      };
    }),
    paid: major(totals.get('contribution')),
    fines_paid: major(totals.get('fine')),
    to_treasury: major(totals.get('treasury')),
    cash_before: major(row.box_minor),
    counted_cash: sheet.counted_cash,
    expected_cash: sheet.expected_cash,
    difference: sheet.difference,
    note: sheet.note,
    sheet_hash: sheet.sheet_hash,
    recorded_by: members.find(({ member_id }) => member_id === recorder_id)?.display_name ?? null,
    created_at: sheet.created_at,
    confirmed_at: sheet.confirmed_at,
  };
}
