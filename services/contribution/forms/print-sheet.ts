import { FORM_MAX_MEMBERS, printSheet } from '../../../lib/contracts/contribution.ts';
import { roster, zoneOf } from '../../../lib/contracts/membership.ts';
import { problem } from '../../../lib/errors/problem.ts';
import { toMajor } from '../../../lib/money/amount.ts';
import { authorizeCaller } from '../../../lib/service/authorize-caller.ts';
import { call } from '../../../lib/service/call.ts';
import { implement } from '../../../lib/service/implement.ts';
import type { ContributionDeps } from '../deps.ts';
import { findMeeting } from '../meetings/meeting.store.ts';
import { readOwed } from './form.store.ts';

/** Returns what a sheet for a meeting shows of each member. */
export function printSheetAction({ reads, runtime }: ContributionDeps) {
  return implement(printSheet, async ({ path }, caller, ctx) => {
    const { id, round, title, due_on, currency } = await findMeeting(reads, path);
    const { terms } = await authorizeCaller(ctx, caller, path.association_id, 'read');
    const { members } = await call(ctx, roster, { association_id: path.association_id });
    if (members.length > FORM_MAX_MEMBERS) throw problem('form_too_long');
    const owed = await readOwed(
      reads,
      id,
      members.map(({ member_id }) => member_id),
    );
    const byMember = new Map(owed.map((each) => [each.member_id, each]));
    const major = (minor = 0n) => toMajor(minor, currency);
    return {
      association: { id: path.association_id, name: terms.name },
      currency,
      time_zone: zoneOf(terms),
      meeting: { id, round, title, due_on },
      lines: members.map(({ member_id, display_name }) => {
        const line = byMember.get(member_id);
        return {
          member_id,
          display_name,
          outstanding: major(line?.outstanding_minor),
          arrears: major(line?.arrears_minor),
          fines: major(line?.fines_minor),
        };
      }),
      made_at: runtime.clock().toISOString(),
    };
  });
}
