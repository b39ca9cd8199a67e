import * as t from '../fields.ts';
import { chapter, nothing } from '../action.ts';
import { ROLES } from '../permissions.ts';

export const MEMBER_STATUSES = ['active', 'left', 'expelled'] as const;

/** The length of names of associations and members. */
export const NAME_MAX_CODE_POINTS = 120;
const HANDS_MAX = 20;

export const hands = () =>
  t.integer(
    1,
    HANDS_MAX,
    'Shares in the rotation. Each hand owes the contribution at every meeting and receives the pot once in a cycle.',
    1,
  );
export const ownHands = { hands: t.withDefault(hands(), 1) };
export const memberStatus = () => t.enumeration(MEMBER_STATUSES, 'Former members stay in the list.', 'active');
export const joinedAt = () => t.at('When they joined, or last rejoined.', '2026-10-01T09:12:45.120Z');
export const displayName = () =>
  t.text(1, NAME_MAX_CODE_POINTS, 'The name of the member, as they write it.', 'Awa Ngono');

/** The body of a request to join. */
export const joining = {
  ...ownHands,
  display_name: t.optional(
    t.text(
      1,
      NAME_MAX_CODE_POINTS,
      "The name that others see. Without it, it is that of the earlier membership, or else the token's `name`.",
      'Awa Ngono',
    ),
  ),
};

export const member = t.record('Member', {
  id: t.ownId(t.EXAMPLE.member_id),
  association_id: t.associationId(),
  user_id: t.userId(),
  display_name: t.nullable(displayName()),
  role: t.enumeration(ROLES, 'Exactly one member is president.', 'member'),
  status: memberStatus(),
  hands: hands(),
  payout_wallet_id: t.describe(
    t.optional(t.nullable(t.walletId())),
    'The wallet that receives their payouts. Shown only to the member and the board.',
  ),
  joined_at: joinedAt(),
});
export type Member = t.Value<typeof member>;

const endpoint = chapter('Members');

export const listMembers = endpoint({
  name: 'membership.list_members',
  summary: 'List the members with their roles',
  description: 'In join order, including former members.',
  permission: 'read',
  path: t.inAssociation,
  query: {
    ...t.pageQuery,
    role: t.optional(t.enumeration(ROLES, 'Only with this role.', 'member')),
    status: t.optional(t.enumeration(MEMBER_STATUSES, 'Only with this status.', 'active')),
  },
  answer: t.pageOf(member),
});

export const joinAssociation = endpoint({
  name: 'membership.join',
  summary: 'Join a public association',
  description:
    'A caller without a wallet in the currency of the association gets one; payouts go there by default. A member ' +
    'who joins during a cycle takes part from the next cycle on. Rejoining reactivates the earlier membership.',
  refuses: ['already_member', 'association_closed', 'association_full'],
  path: t.inAssociation,
  body: joining,
  status: 201,
  answer: member,
});

export const getOwnMembership = endpoint({
  name: 'membership.get_own_membership',
  summary: "Show the caller's own membership",
  permission: 'read',
  path: t.inAssociation,
  answer: member,
});

export const changeOwnMembership = endpoint({
  name: 'membership.change_own_membership',
  summary: "Change the caller's own name, hands or payout wallet",
  description:
    'At least one of them is required. `hands` can change only while no cycle is running. A change of the wallet ' +
    'requires the `pin`.',
  permission: 'change_own_membership',
  refuses: ['cycle_in_progress', 'wallet_currency_mismatch'],
  path: t.inAssociation,
  body: {
    display_name: t.optional(t.text(1, NAME_MAX_CODE_POINTS, 'The name that others see.', 'Awa Ngono')),
    hands: t.optional(hands()),
    payout_wallet_id: t.optional(t.walletId("One of the caller's own wallets, in the currency of the association.")),
    pin: t.optional(t.sealedPin()),
  },
  body_min_members: 1,
  answer: member,
  examples: { body: { display_name: 'Awa Ngono', hands: 1 } },
});

export const leaveAssociation = endpoint({
  name: 'membership.leave',
  summary: 'Leave an association',
  description:
    'For a member who owes neither arrears nor fines, and about whose money the board has nothing to decide: cash, a meeting sheet ' +
    'on which they paid, a distribution, or a correction. They can still read their statement.',
  permission: 'change_own_membership',
  refuses: ['member_has_obligations', 'president_cannot_leave'],
  path: t.inAssociation,
  status: 204,
  answer: nothing,
});

const referenceFields = {
  member_id: t.id(),
  user_id: t.opaque(t.USER_ID_MAX_CODE_POINTS),
  display_name: t.nullable(t.text(1, NAME_MAX_CODE_POINTS)),
  role: t.enumeration(ROLES),
  status: t.enumeration(MEMBER_STATUSES),
  hands: hands(),
  payout_wallet_id: t.nullable(t.opaque(t.WALLET_ID_MAX_LENGTH)),
  joined_at: t.instant(),
};

/** The data of a member for other services. */
export const memberReference = t.object(referenceFields);
export type MemberReference = t.Value<typeof memberReference>;
export const memberReferences = t.list(memberReference);

/** A member named in a request, for a service that stores something about them. */
export const namedMember = t.object({
  ...referenceFields,
  /** The number of times that they have left or been expelled. Distinguishes their memberships. */
  tenure: t.integer(0, t.UNBOUNDED),
});
export type NamedMember = t.Value<typeof namedMember>;
