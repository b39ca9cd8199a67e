import { FORM_MAX_MEMBERS, printSheet } from '../../../lib/contracts/contribution.ts';
import { roster, zoneOf } from '../../../lib/contracts/membership.ts';
import { problem } from '../../../lib/errors/problem.ts';
import { toMajor } from '../../../lib/money/amount.ts';
import { authorizeCaller } from '../../../lib/service/authorize-caller.ts';
import { call } from '../../../lib/service/call.ts';
import { implement } from '../../../lib/service/implement.ts';
import type { ContributionDeps } from '../deps.ts';
import { readAttendance } from '../attendance/attendance.store.ts';
import { findMeeting } from '../meetings/meeting.store.ts';
import { findConfirmedSheet, readSheet } from '../sheets/sheet.store.ts';
import { readOwed } from './form.store.ts';
import { showMinutes } from './minutes.view.ts';

/** Returns what is printed for a meeting: the form to fill in, or the minutes of a sheet. */
export function printSheetAction({ reads, runtime }: ContributionDeps) {
  return implement(printSheet, async ({ path, query: { sheet_id } }, caller, ctx) => {
    const { id, round, title, due_on, currency } = await findMeeting(reads, path);
    const sheet =
      sheet_id === undefined ? await findConfirmedSheet(reads, id) : await readSheet(reads, { ...path, sheet_id });
    const member_ids = [...(sheet?.lines ?? []), ...(sheet?.attendance ?? [])].map(({ member_id }) => member_id);
    if (sheet !== undefined) member_ids.push(sheet.recorded_by_member_id);
    const authorized = await authorizeCaller(ctx, caller, path.association_id, 'read', { member_ids });
    const { members: active } = await call(ctx, roster, { association_id: path.association_id });
    if (active.length > FORM_MAX_MEMBERS) throw problem('form_too_long');
    const members = new Map([...active, ...authorized.members].map((member) => [member.member_id, member]));
    const [owed, attendance] = await Promise.all([readOwed(reads, id, [...members.keys()]), readAttendance(reads, id)]);
    const byMember = new Map(owed.map((each) => [each.member_id, each]));
    const major = (minor = 0n) => toMajor(minor, currency);
    return {
      association: { id: path.association_id, name: authorized.terms.name },
      currency,
      time_zone: zoneOf(authorized.terms),
      meeting: { id, round, title, due_on },
      lines: active.map(({ member_id, display_name }) => {
        const line = byMember.get(member_id);
        return {
          member_id,
          display_name,
          outstanding: major(line?.outstanding_minor),
          arrears: major(line?.arrears_minor),
          fines: major(line?.fines_minor),
        };
      }),
      minutes: sheet === undefined ? null : showMinutes(sheet, [...members.values()], attendance.entries, byMember),
      made_at: runtime.clock().toISOString(),
    };
  });
}
