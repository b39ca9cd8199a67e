/** The approvals that wait for the vote of a member, for the overview of a user. */
import * as t from '../fields.ts';
import { always, command } from '../action.ts';
import { membershipsOf, OVERVIEW_MAX_APPROVALS } from '../overview.ts';
import { approvalFields } from './approvals.ts';

const { id, subject_type, subject_id, requested_by_member_id, expires_at } = approvalFields;

/** Without the payload, which may be long: the voter reads it with the approval. */
const waitingApproval = t.record('WaitingApproval', {
  id,
  subject_type,
  subject_id,
  requested_by_member_id,
  expires_at,
});

export const waitingApprovals = t.list(
  waitingApproval,
  `The pending approvals on which the caller may vote and has not, those that expire first, at most ` +
    `${String(OVERVIEW_MAX_APPROVALS)}. Before they vote, show them the \`payload\` of the approval.`,
);

/** Reads what waits for the votes of these members, who must hold a board role; without memberships for which nothing does. */
export const overview = command({
  name: 'governance.overview',
  reads: always,
  input: { memberships: membershipsOf({}) },
  answer: t.object({ associations: t.list(t.object({ association_id: t.id(), approvals: waitingApprovals })) }),
});
