/** The payload of each type of proposal. */
import * as t from '../fields.ts';
import type { ProposalType } from '../approvals.ts';
import { maxMembers } from '../membership/associations.ts';
import { rulesChange } from '../membership/rules.ts';
import { ROLES } from '../permissions.ts';

/** A resolution has one or two pages; a body may have 64 KiB. */
const MOTION_MAX_CODE_POINTS = 10_000;

export const PROPOSAL_PAYLOADS = {
  role_change: t.record('RoleChangePayload', {
    member_id: t.memberId('The member who gets a new role.'),
    role: t.enumeration(
      ROLES,
      'The new role. If there is a new president, the old one becomes a member in the same step.',
      'treasurer',
    ),
  }),
  rules_change: t.name(
    'RulesChangePayload',
    t.someOf({
      rules: t.optional(rulesChange),
      contribution_amount: t.optional(t.amount('The new amount, from the next cycle on.', 12_000)),
      max_members: t.optional(maxMembers()),
    }),
  ),
  expulsion: t.record('ExpulsionPayload', { member_id: t.memberId('The member to be expelled.') }),
  closure: t.record('ClosurePayload', {}),
  motion: t.record('MotionPayload', {
    text: t.text(1, MOTION_MAX_CODE_POINTS, 'The text of the resolution.', 'We meet at the school from now on.'),
  }),
  fine_waiver: t.record('FineWaiverPayload', { fine_id: t.fineId() }),
} satisfies Record<ProposalType, t.Field>;

export type ProposalPayloads = { [T in ProposalType]: t.Value<(typeof PROPOSAL_PAYLOADS)[T]> };
