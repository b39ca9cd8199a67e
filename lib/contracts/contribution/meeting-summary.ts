/** What members owe for a meeting and get from it, for services that tell them. */
import * as t from '../fields.ts';
import { always, command } from '../action.ts';
import { meetingFields } from './meetings.ts';

/**
 * A member has 400 bytes at most, and hardly any more than 210: an answer has 800 KB at most, which is less than NATS's default
 * limit of a message, and usually less than half of it. A group of 10 000 has five pages.
 */
export const SUMMARY_MAX_MEMBERS = 2_000;

const { cycle_id, round, title, due_on, status } = meetingFields;

/**
 * Reads a meeting with what each member still owes for it, can expect and was paid, in pages of members by their ids. All of a
 * member is in one page, and each page is of its own instant: the meeting may be settled between two. Refuses with not_found.
 */
export const meetingSummary = command({
  name: 'contribution.meeting_summary',
  reads: always,
  input: {
    ...t.inMeeting,
    /** `next_member_id` of the page before; absent for the first one. */
    after_member_id: t.optional(t.id()),
    /** At most so many members; the default is the maximum. */
    limit: t.optional(t.integer(1, SUMMARY_MAX_MEMBERS)),
  },
  answer: t.object({
    meeting_id: t.id(),
    cycle_id,
    round,
    title,
    due_on,
    status,
    currency: t.currency(),
    /** The members who still owe something for it. */
    dues: t.list(
      t.object({
        member_id: t.id(),
        /** What is not paid of the due, until the meeting is settled: then nothing can be paid of it. */
        outstanding_minor: t.minor(),
        /** What they owe to its beneficiaries, once it is settled. */
        arrears_minor: t.minor(),
      }),
    ),
    /** The members whose turn it is, in rotation order, each once. */
    beneficiaries: t.list(
      t.object({
        member_id: t.id(),
        /** Their share of the pot if every due is paid, before their arrears are deducted. */
        expected_minor: t.minor(),
      }),
    ),
    /** What its settlement has paid to each member by each method, also to members to whom a beneficiary owed it; empty until it is settled. */
    payouts: t.list(t.object({ member_id: t.id(), amount_minor: t.minor(), method: t.enumeration(t.PAYMENT_METHODS) })),
    /** The last member of this page; null on the last page. */
    next_member_id: t.nullable(t.id()),
  }),
});
