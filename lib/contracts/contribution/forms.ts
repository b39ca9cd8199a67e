/** The sheet that a group prints and fills in by hand at a meeting. */
import * as t from '../fields.ts';
import { chapter } from '../action.ts';
import { associationName } from '../membership/associations.ts';
import { displayName } from '../membership/members.ts';

/** As many pages as a group can still fill in by hand. Larger associations hold no meeting at one table. */
export const FORM_MAX_MEMBERS = 1_000;

const formLine = t.record('MeetingFormLine', {
  member_id: t.memberId(),
  display_name: t.nullable(displayName()),
  outstanding: t.money('What the member still owes for this meeting.', 10_000),
  arrears: t.money('What they owe from settled rounds.', 0),
  fines: t.money('What they owe in fines.', 300),
});

const form = t.record('MeetingForm', {
  association: t.describe(
    t.object({ id: t.ownId(t.EXAMPLE.association_id), name: associationName() }),
    'The association.',
  ),
  currency: t.currencyCode(),
  time_zone: t.timeZone('The time zone of its days.', 'Africa/Douala'),
  meeting: t.describe(t.meetingReference, 'The meeting.'),
  lines: t.boundedList(formLine, 0, FORM_MAX_MEMBERS, 'The active members, in join order.'),
  made_at: t.at('When the sheet was made.'),
});
export type MeetingForm = t.Value<typeof form>;

/** Reads what the gateway prints. */
export const printSheet = chapter('Meetings')({
  name: 'contribution.print_sheet',
  summary: 'Print a sheet for a meeting',
  description:
    'A PDF to fill in by hand: each member with what they owe for the meeting, arrears and fines, boxes for what they pay ' +
    'and whether they came, the counted cash, and signatures. 25 members fit on a page. In English or French, by ' +
    '`Accept-Language`.',
  permission: 'read',
  refuses: ['form_too_long'],
  path: t.inMeeting,
  answer: form,
});
