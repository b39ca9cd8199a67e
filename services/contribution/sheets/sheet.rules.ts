/** The content of a meeting sheet: how it is checked, hashed and summed up. Amounts are in minor units. */
import { canonicalHash } from '../../../lib/canonical/canonical-hash.ts';
import type { EndpointInput } from '../../../lib/contracts/action.ts';
import type { AttendanceEntry, putSheet, SheetLine } from '../../../lib/contracts/contribution.ts';
import { NO_SUCH_ID } from '../../../lib/contracts/fields.ts';
import { errorEntry, type ErrorCode } from '../../../lib/errors/codes.ts';
import { invalid, problem, type FieldComplaint, type Problem } from '../../../lib/errors/problem.ts';
import { AMOUNT_MAX_MINOR, readAmount, toMajor } from '../../../lib/money/amount.ts';
import { COMPLAINTS_MAX } from '../../../lib/schema/complaints.ts';
import { checkEntries, memberComplaints } from '../attendance/attendance.rules.ts';
import { FINE_STATES, type FineRow } from '../fines/fine.table.ts';
import type { SheetRow, StoredLine } from './sheet.table.ts';

type Input = EndpointInput<typeof putSheet>;

/** What a client has written on a sheet. */
export type Content = Pick<SheetRow, 'lines' | 'attendance' | 'counted_minor' | 'note' | 'sheet_hash'>;

/**
 * Checks what the request alone decides.
 * @throws validation_failed
 */
export function checkSheet({ body: { lines, attendance = [] } }: Pick<Input, 'body'>): void {
  const seen = new Set<string>();
  const complaints = lines.flatMap(({ line_id, kind, fine_id }, index): FieldComplaint[] => {
    const complain = (member: string, code: string, detail: string) => {
      return { pointer: pointerTo(index, member), code, detail };
    };
    const isRepeated = seen.has(line_id);
    seen.add(line_id);
    return [
      ...(isRepeated ? [complain('line_id', 'not_allowed', 'Another line has this id.')] : []),
      ...(kind === 'fine' && fine_id === undefined
        ? [complain('fine_id', 'required', 'A line of the kind `fine` names the fine.')]
        : []),
      ...(kind !== 'fine' && fine_id !== undefined
        ? [complain('fine_id', 'not_allowed', 'Only a line of the kind `fine` names a fine.')]
        : []),
    ];
  });
  if (complaints.length > 0) throw invalid(...complaints.slice(0, COMPLAINTS_MAX));
  checkEntries(attendance, '/attendance');
}

/**
 * Checks the id that the client has chosen. It is the only id in a path that need not exist.
 * @throws validation_failed if it is malformed
 */
export function requireSheetId(id: string): void {
  if (id !== NO_SUCH_ID) return;
  throw invalid({ pointer: 'sheet_id', code: 'malformed', detail: 'The id of a sheet is a UUID.' });
}

function pointerTo(line: number, member: string): string {
  return `/lines/${String(line)}/${member}`;
}

/**
 * Reads the content of a request in a currency, or returns why it has amounts that the currency does not have:
 * amount_precision, or validation_failed above the largest amount.
 */
export function readContent(meeting_id: string, currency: string, body: Input['body']): Content | Problem {
  const { lines, attendance = [], counted_cash, note = null } = body;
  const complaints: FieldComplaint[] = [];
  const minor = (major: number, pointer: string): bigint => {
    const reading = readAmount(major, currency);
    if ('minor' in reading) return reading.minor;
    complaints.push(
      reading.refused === 'precision'
        ? { pointer, code: 'amount_precision', detail: `${currency} does not have that many decimals.` }
        : { pointer, code: 'too_large', detail: 'At most 999 999 999 999 999 minor units.' },
    );
    return 0n;
  };
  const amounts = lines.map(({ amount }, index) => minor(amount, pointerTo(index, 'amount')));
  const counted_minor = minor(counted_cash, '/counted_cash');
  // A transfer cannot move more.
  if (sumOf(amounts) > AMOUNT_MAX_MINOR) {
    const detail = 'The lines sum to more than 999 999 999 999 999 minor units.';
    complaints.push({ pointer: '/lines', code: 'too_large', detail });
  }
  const imprecise = complaints.filter(({ code }) => code === 'amount_precision').slice(0, COMPLAINTS_MAX);
  if (imprecise.length > 0) return problem('amount_precision', { errors: imprecise });
  if (complaints.length > 0) return invalid(...complaints.slice(0, COMPLAINTS_MAX));
  const stored = lines.map(({ line_id, kind, member_id, fine_id, note: remark }, index): StoredLine => ({
    line_id,
    kind,
    member_id,
    amount_minor: Number(amounts[index]),
    ...(fine_id === undefined ? {} : { fine_id }),
    ...(remark === undefined ? {} : { note: remark }),
  }));
  const read = { lines: stored, attendance, counted_minor, note };
  return { ...read, sheet_hash: hashOf(meeting_id, currency, read) };
}

function sumOf(amounts: readonly bigint[]): bigint {
  return amounts.reduce((sum, amount) => sum + amount, 0n);
}

/** Returns the SHA-256 of the content as clients see it, so that they can compute it too. */
function hashOf(
  meeting_id: string,
  currency: string,
  { lines, attendance, counted_minor, note }: Omit<Content, 'sheet_hash'>,
): string {
  return canonicalHash({
    meeting_id,
    lines: lines.map((line) => lineOf(line, currency)),
    attendance: attendance.map(entryOf),
    counted_cash: toMajor(counted_minor, currency),
    note,
  });
}

/** Returns a line as clients see it. */
export function lineOf(
  { line_id, kind, member_id, amount_minor, fine_id, note }: StoredLine,
  currency: string,
): SheetLine {
  return {
    line_id,
    kind,
    member_id,
    amount: toMajor(BigInt(amount_minor), currency),
    ...(fine_id === undefined ? {} : { fine_id }),
    ...(note === undefined ? {} : { note }),
  };
}

/** Returns an entry of the attendance as clients see it, with its members in the same order whatever has stored it. */
export function entryOf({ member_id, status, represented_by_member_id }: AttendanceEntry): AttendanceEntry {
  return { member_id, status, ...(represented_by_member_id === undefined ? {} : { represented_by_member_id }) };
}

/** Returns the sum of the lines. */
export function totalOf({ lines }: Pick<SheetRow, 'lines'>): bigint {
  return sumOf(lines.map(({ amount_minor }) => BigInt(amount_minor)));
}

/** Returns what the cash box should hold, and by how much the counted cash differs. */
export function balanceOf(sheet: Pick<SheetRow, 'lines' | 'counted_minor' | 'box_minor'>): {
  expected_minor: bigint;
  difference_minor: bigint;
} {
  const expected_minor = sheet.box_minor + totalOf(sheet);
  return { expected_minor, difference_minor: sheet.counted_minor - expected_minor };
}

/** Why a line, or an entry of the attendance, cannot be taken. */
export type SheetComplaint = FieldComplaint & { outstanding?: number };

/** Returns the complaint of a line. */
export function complaintOf(line: number, member: string, code: ErrorCode, outstanding?: number): SheetComplaint {
  const { detail } = errorEntry(code).en;
  return { pointer: pointerTo(line, member), code, detail, ...(outstanding === undefined ? {} : { outstanding }) };
}

/** Returns the complaints about lines and attendance whose members are not of the association, or not active. */
export function membersNotFound(
  { lines, attendance }: Pick<SheetRow, 'lines' | 'attendance'>,
  statuses: ReadonlyMap<string, string>,
): SheetComplaint[] {
  return [
    ...lines.flatMap(({ kind, member_id }, line) => {
      const status = statuses.get(member_id);
      // Members who were expelled may still owe a fine.
      const isFound = kind === 'fine' ? status !== undefined : status === 'active';
      return isFound ? [] : [complaintOf(line, 'member_id', 'not_found')];
    }),
    ...memberComplaints(attendance, statuses, '/attendance'),
  ];
}

/** Returns the complaints about lines of contributions whose members' dues were not taken. */
export function dueComplaints(
  { lines, currency }: Pick<SheetRow, 'lines' | 'currency'>,
  left_minor: ReadonlyMap<string, bigint>,
): SheetComplaint[] {
  return lines.flatMap(({ kind, member_id }, line) => {
    const left = kind === 'contribution' ? left_minor.get(member_id) : undefined;
    return left === undefined ? [] : [complaintOf(line, 'amount', 'contribution_exceeds_due', toMajor(left, currency))];
  });
}

/** Returns the complaints about lines whose fines cannot be taken. Several lines of one fine are checked together. */
export function fineComplaints(
  { lines, currency, association_id }: Pick<SheetRow, 'lines' | 'currency' | 'association_id'>,
  locked: readonly FineRow[],
): SheetComplaint[] {
  const fines = new Map(locked.map((fine) => [fine.id, fine]));
  const sums = sumsBy(lines, ({ fine_id }) => fine_id);
  return lines.flatMap(({ fine_id, member_id }, line) => {
    if (fine_id === undefined) return [];
    const fine = fines.get(fine_id);
    if (fine?.association_id !== association_id || fine.member_id !== member_id) {
      return [complaintOf(line, 'fine_id', 'not_found')];
    }
    if (!FINE_STATES[fine.status].obliges) return [complaintOf(line, 'fine_id', 'fine_not_due')];
    const left = fine.amount_minor - fine.taken_minor;
    if ((sums.get(fine_id) ?? 0n) <= left) return [];
    return [complaintOf(line, 'amount', 'fine_exceeded', toMajor(left, currency))];
  });
}

/** Sums up amounts by a key, in the order in which the keys first occur. Lines without a key are left out. */
export function sumsBy<Line extends { amount_minor: bigint | number }>(
  lines: readonly Line[],
  keyOf: (line: Line) => string | null | undefined,
): Map<string, bigint> {
  const sums = new Map<string, bigint>();
  for (const line of lines) {
    const key = keyOf(line) ?? undefined;
    if (key !== undefined) sums.set(key, (sums.get(key) ?? 0n) + BigInt(line.amount_minor));
  }
  return sums;
}
