import type { Minutes } from '../../../lib/contracts/contribution.ts';
import { toMajor } from '../../../lib/money/amount.ts';
import { sumsBy } from '../sheets/sheet.rules.ts';
import type { ShownSheetRow } from '../sheets/sheet.table.ts';
import { showSheet } from '../sheets/sheet.view.ts';
import type { OwedByMember } from './form.store.ts';

type Member = Pick<Minutes['lines'][number], 'member_id' | 'display_name'>;

/** Returns the minutes of a meeting from one of its sheets. */
export function showMinutes(
  row: ShownSheetRow,
  members: readonly Member[],
  owed: ReadonlyMap<string, OwedByMember>,
): Minutes {
  const { id: sheet_id, attendance, recorded_by_member_id: recorder_id, ...sheet } = showSheet(row);
  const major = (minor = 0n) => toMajor(minor, row.currency);
  const came = new Map(attendance.map(({ member_id, status }) => [member_id, status]));
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
        attendance: came.get(member_id) ?? null,
        paid: major(sums.get(`contribution ${member_id}`)),
        fines_paid: major(sums.get(`fine ${member_id}`)),
        to_treasury: major(sums.get(`treasury ${member_id}`)),
        owed: major(outstanding_minor + arrears_minor + fines_minor),
      };
    }),
    paid: major(totals.get('contribution')),
    fines_paid: major(totals.get('fine')),
    to_treasury: major(totals.get('treasury')),
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
