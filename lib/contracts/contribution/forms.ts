/** The sheet that a group prints and fills in by hand at a meeting, and the minutes, which are the filled sheet. */
import * as t from '../fields.ts';
import { chapter } from '../action.ts';
import { associationName } from '../membership/associations.ts';
import { displayName } from '../membership/members.ts';
import { ATTENDANCE_STATUSES } from './attendance.ts';
import { sheetFields } from './sheets.ts';

/** As many pages as a group can still fill in by hand. Larger associations hold no meeting at one table. */
export const FORM_MAX_MEMBERS = 1_000;

const formLine = t.record('MeetingFormLine', {
  member_id: t.memberId(),
  display_name: t.nullable(displayName()),
  outstanding: t.money('What the member has still to pay for this meeting; 0 once it is settled.', 10_000),
  arrears: t.money('What they have still to pay from settled rounds.', 0),
  fines: t.money('What they have still to pay in fines.', 300),
});

/** What a sheet records of a member, or of all. */
const recorded = {
  paid: t.money('What was paid for the meeting.', 10_000),
  fines_paid: t.money('What was paid for fines.', 500),
  to_treasury: t.money('What was given to the treasury.', 0),
};

const minutes = t.record('Minutes', {
  sheet_id: sheetFields.id,
  status: sheetFields.status,
  lines: t.list(
    t.record('MinutesLine', {
      member_id: t.memberId(),
      display_name: t.nullable(displayName()),
      attendance: t.nullable(
        t.enumeration(
          ATTENDANCE_STATUSES,
          'Whether they came, as the sheet or the attendance of the meeting says.',
          'present',
        ),
      ),
      ...recorded,
      owed: t.money(
        'What they have still to pay when it is printed: for this meeting, from settled rounds, and in fines.',
        0,
      ),
    }),
    'The active members in join order, and others that the sheet names.',
  ),
  ...recorded,
  cash_before: t.money('What the cash box should have held before the sheet.', 0),
  counted_cash: sheetFields.counted_cash,
  expected_cash: sheetFields.expected_cash,
  difference: sheetFields.difference,
  note: sheetFields.note,
  sheet_hash: sheetFields.sheet_hash,
  recorded_by: t.nullable(displayName()),
  created_at: sheetFields.created_at,
  confirmed_at: sheetFields.confirmed_at,
});
export type Minutes = t.Value<typeof minutes>;

const form = t.record('MeetingForm', {
  association: t.describe(
    t.object({ id: t.ownId(t.EXAMPLE.association_id), name: associationName() }),
    'The association.',
  ),
  currency: t.currencyCode(),
  time_zone: t.timeZone('The time zone of its days.', 'Africa/Douala'),
  meeting: t.describe(t.meetingReference, 'The meeting.'),
  lines: t.boundedList(formLine, 0, FORM_MAX_MEMBERS, 'The active members, in join order.'),
  minutes: t.nullable(t.describe(minutes, 'The sheet that is printed; null for the form.'), null),
  made_at: t.at('When it was made.'),
});
export type MeetingForm = t.Value<typeof form>;

/** Reads what the gateway prints. */
export const printSheet = chapter('Meetings')({
  name: 'contribution.print_sheet',
  summary: 'Print a sheet for a meeting, or its minutes',
  description:
    'A PDF to fill in by hand: each member with what they owe for the meeting, arrears and fines, boxes for what they pay ' +
    'and whether they came, the counted cash, and signatures. Once a meeting sheet is confirmed, its minutes: who came, what ' +
    'each member paid and still owes, and the cash. `sheet_id` selects another sheet of the meeting. 25 members fit on a ' +
    'page. In English or French, by `Accept-Language`.',
  permission: 'read',
  refuses: ['form_too_long'],
  path: t.inMeeting,
  query: {
    sheet_id: t.optional(t.id('The sheet whose minutes are printed, also if it is not confirmed.', t.EXAMPLE.sheet_id)),
  },
  answer: form,
});
