import * as t from '../fields.ts';
import { exampleOfFields } from '../../schema/examples.ts';
import { chapter } from '../action.ts';

export const MEETING_STATUSES = ['open', 'settling', 'settled', 'cancelled'] as const;

const beneficiary = t.record('Beneficiary', {
  member_id: t.memberId('The member whose turn it is.', t.EXAMPLE.president_id),
  hands: t.integer(1, t.ROTATION_MAX_HANDS, 'The number of their hands whose turn it is.', 1),
});

export const meetingFields = {
  id: t.ownId(t.EXAMPLE.meeting_id),
  association_id: t.associationId(),
  cycle_id: t.nullable(t.cycleId('Its cycle; null outside a cycle.')),
  round: t.nullable(t.integer(1, t.ROTATION_MAX_HANDS, 'Its place in the cycle, from 1; null outside a cycle.', 1)),
  title: t.nullable(t.text(1, t.TITLE_MAX_CODE_POINTS, 'For people.')),
  due_on: t.date('The day of the meeting.', '2026-10-05'),
  status: t.enumeration(
    MEETING_STATUSES,
    '`settling`: the meeting is being settled or cancelled and accepts no contributions.',
    'open',
  ),
  expected_amount: t.money('What all members together owe for the meeting; 0 outside a cycle.', 40_000),
  collected_amount: t.money('What has been paid for the meeting so far.', 30_000),
  beneficiaries: t.list(
    beneficiary,
    'The members whose turn it is, in rotation order; empty if the meeting has no turns.',
  ),
  settled_at: t.nullable(t.at('When it was settled.'), null),
};

const EXAMPLE_MEETING = exampleOfFields(meetingFields, 'answer', { title: null });
const EXAMPLE_KITTY: typeof EXAMPLE_MEETING = {
  ...EXAMPLE_MEETING,
  cycle_id: null,
  round: null,
  title: 'Kitty of October',
  expected_amount: 0,
  collected_amount: 0,
  beneficiaries: [],
};

const meeting = t.describe(t.record('Meeting', meetingFields), 'A meeting (session).', EXAMPLE_MEETING);
export type Meeting = t.Value<typeof meeting>;

const dueOn = (description: string) => t.optional(t.date(description, '2026-10-05'));
const title = t.optional(t.text(1, t.TITLE_MAX_CODE_POINTS, 'For people.', 'Kitty of October'));

const endpoint = chapter('Meetings');

export const scheduleMeeting = endpoint({
  name: 'contribution.schedule_meeting',
  summary: 'Schedule a meeting outside a cycle',
  description:
    'For associations of any type. Members owe nothing for such a meeting. Their payments go to the treasury when ' +
    'it is settled.',
  permission: 'schedule_meeting',
  path: t.inAssociation,
  body: { due_on: dueOn('The day of the meeting. The default is today.'), title },
  status: 201,
  answer: meeting,
  examples: { answer: EXAMPLE_KITTY },
});

export const listMeetings = endpoint({
  name: 'contribution.list_meetings',
  summary: 'List meetings',
  description: 'The rounds of a cycle are listed in date order.',
  permission: 'read',
  path: t.inAssociation,
  query: {
    ...t.pageQuery,
    status: t.optional(t.enumeration(MEETING_STATUSES, 'Only with this status.', 'open')),
    cycle_id: t.optional(t.cycleId('Only of this cycle.')),
  },
  answer: t.pageOf(meeting),
});

export const getMeeting = endpoint({
  name: 'contribution.get_meeting',
  summary: 'Show a meeting',
  permission: 'read',
  path: t.inMeeting,
  answer: meeting,
});

export const changeMeeting = endpoint({
  name: 'contribution.change_meeting',
  summary: 'Reschedule or rename an open meeting',
  description: 'Absent fields stay as they are. A round cannot move past the round before or after it.',
  permission: 'schedule_meeting',
  refuses: ['meeting_not_open'],
  path: t.inMeeting,
  body: { due_on: dueOn('The new day.'), title },
  answer: meeting,
  examples: { body: { due_on: '2026-10-07' } },
});

export const cancelMeeting = endpoint({
  name: 'contribution.cancel_meeting',
  summary: 'Cancel a meeting outside a cycle',
  description:
    'Refunds every contribution in one transfer: e-money to the wallets that paid, cash as cash. 202 while the ' +
    'outcome is unknown: the meeting then becomes `cancelled`, or `open` again.',
  permission: 'schedule_meeting',
  refuses: [
    'meeting_in_cycle',
    'meeting_not_open',
    'contributions_in_flight',
    'too_many_refunds',
    'balance_limit_exceeded',
  ],
  path: t.inMeeting,
  answer: meeting,
  examples: {
    answer: { ...EXAMPLE_KITTY, status: 'cancelled' },
    accepted: { ...EXAMPLE_KITTY, status: 'settling', collected_amount: 30_000 },
  },
});
