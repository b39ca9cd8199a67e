/** What membership shows: associations with their rules, members, invitations. */
import { FREQUENCIES } from '../../calendar/calendar.ts';
import {
  boolean,
  currency,
  defaulting,
  described,
  enumeration,
  integer,
  money,
  named,
  nullable,
  object,
  opaque,
  optional,
  someOf,
  text,
} from '../../schema/fields.ts';
import type { Value } from '../../schema/fields.ts';
import { associationId, at, EXAMPLE, memberId, ownId, userId, walletId } from '../ids.ts';
import { ROLES } from '../permissions.ts';

export const ASSOCIATION_TYPES = ['tontine', 'savings', 'solidarity'] as const;
export const ASSOCIATION_STATUSES = ['active', 'closed'] as const;
/** What a round does while dues are missing: it waits, or pays what came in and the rest becomes arrears. */
export const SHORTFALL_RULES = ['block', 'pay_collected'] as const;
export const MEMBER_STATUSES = ['active', 'left', 'expelled'] as const;

/** Bounds of the contract, section 3. */
export const HANDS_MAX = 20;
/** Of an association and of a member. */
export const NAME_MAX_CODE_POINTS = 120;
export const DESCRIPTION_MAX_CODE_POINTS = 2_000;
const MEMBERS_MIN = 2;
const MEMBERS_MAX = 10_000;
const BENEFICIARIES_MAX = 10;
const APPROVALS_MAX = 10;
const APPROVAL_EXPIRY_MAX_HOURS = 2_160;
const APPROVAL_EXPIRY_DEFAULT_HOURS = 336;
export const INVITATION_USES_MAX = 10_000;
export const INVITATION_EXPIRY_MAX_HOURS = 720;
/** Far longer than the codes we make. */
export const INVITATION_CODE_MAX_LENGTH = 256;

/** How many approvals each kind of request needs unless the rules say otherwise (contract, section 3). */
const APPROVALS_DEFAULT = {
  cash_deposit: 1,
  distribution: 2,
  rules_change: 2,
  expulsion: 2,
  closure: 2,
  role_change: 1,
  motion: 1,
} as const;
type ApprovalRule = keyof typeof APPROVALS_DEFAULT;

// What rules, their change, and the association's own fields have in common.

export const hands = () =>
  described(integer(1, HANDS_MAX), 'Shares in the rotation: each owes the contribution and has one turn.', 1);
export const associationName = () => described(text(1, NAME_MAX_CODE_POINTS), 'Trimmed.', 'Njangi of Bonamoussadi');
export const associationDescription = () =>
  described(text(0, DESCRIPTION_MAX_CODE_POINTS), 'Free text.', 'Twelve neighbours, one pot a month.');
export const associationType = () =>
  described(
    enumeration(ASSOCIATION_TYPES),
    '`tontine`: a rotating pot. `savings`: paid in over a cycle and returned at its end. `solidarity`: a mutual-aid ' +
      'fund, which leaves by approved distributions.',
    'tontine',
  );
export const frequency = () => described(enumeration(FREQUENCIES), 'How often contributions fall due.', 'monthly');
export const currencyCode = (description = 'ISO 4217; amounts are in its major unit.') =>
  described(currency(), description, 'XAF');
export const maxMembers = () =>
  described(integer(MEMBERS_MIN, MEMBERS_MAX), 'How many members there may be at most.', 100);
export const isPublic = () =>
  described(boolean(), 'Whether it stands in the public directory, and anyone may join.', true);

const shortfall = () =>
  described(
    enumeration(SHORTFALL_RULES),
    'What settling does while dues are missing. `block`: it is refused. `pay_collected`: what came in is paid out, and ' +
      'the rest becomes arrears, owed to the beneficiaries of that round.',
    'block',
  );
const beneficiaries = () =>
  described(integer(1, BENEFICIARIES_MAX), 'How many hands have their turn at each meeting of a tontine.', 1);
const expiry = () => described(integer(1, APPROVAL_EXPIRY_MAX_HOURS), 'How long a request waits for its votes.', 336);
const approvalsOf = (rule: ApprovalRule) =>
  described(
    integer(1, APPROVALS_MAX),
    `How many approvals a request of the kind \`${rule}\` takes, but never more than there are people who may give them.`,
    APPROVALS_DEFAULT[rule],
  );

const approvals = (rule: ApprovalRule) => defaulting(approvalsOf(rule), APPROVALS_DEFAULT[rule]);

export const DEFAULT_RULES: Rules = {
  shortfall: 'block',
  beneficiaries_per_meeting: 1,
  approvals: { ...APPROVALS_DEFAULT },
  approval_expires_in_hours: APPROVAL_EXPIRY_DEFAULT_HOURS,
};

/** The rules of an association; absent members mean their defaults. */
export const rules = named(
  'Rules',
  object({
    shortfall: defaulting(shortfall(), 'block'),
    beneficiaries_per_meeting: defaulting(beneficiaries(), 1),
    approvals: defaulting(
      named(
        'ApprovalRules',
        object({
          cash_deposit: approvals('cash_deposit'),
          distribution: approvals('distribution'),
          rules_change: approvals('rules_change'),
          expulsion: approvals('expulsion'),
          closure: approvals('closure'),
          role_change: approvals('role_change'),
          motion: approvals('motion'),
        }),
      ),
      { ...APPROVALS_DEFAULT },
    ),
    approval_expires_in_hours: defaulting(expiry(), APPROVAL_EXPIRY_DEFAULT_HOURS),
  }),
);
export type Rules = Value<typeof rules>;

/** A change of the rules, at least one of them: what is absent stays as it is. */
export const rulesChange = named(
  'RulesChange',
  someOf({
    shortfall: optional(shortfall()),
    beneficiaries_per_meeting: optional(beneficiaries()),
    approvals: optional(
      named(
        'ApprovalRulesChange',
        someOf({
          cash_deposit: optional(approvalsOf('cash_deposit')),
          distribution: optional(approvalsOf('distribution')),
          rules_change: optional(approvalsOf('rules_change')),
          expulsion: optional(approvalsOf('expulsion')),
          closure: optional(approvalsOf('closure')),
          role_change: optional(approvalsOf('role_change')),
          motion: optional(approvalsOf('motion')),
        }),
      ),
    ),
    approval_expires_in_hours: optional(expiry()),
  }),
);
export type RulesChange = Value<typeof rulesChange>;

const role = () => described(enumeration(ROLES), 'Exactly one member is president.', 'member');
const memberStatus = () => described(enumeration(MEMBER_STATUSES), 'Former members stay listed.', 'active');
const joinedAt = () => at('When he joined, or rejoined, last.', '2026-10-01T09:12:45.120Z');

export const membershipSummary = named(
  'MembershipSummary',
  object({
    member_id: memberId("The caller's own member id here.", EXAMPLE.president_id),
    role: described(enumeration(ROLES), 'Their role.', 'president'),
    status: memberStatus(),
    hands: hands(),
    joined_at: joinedAt(),
  }),
);

export const association = named(
  'Association',
  object({
    id: ownId(EXAMPLE.association_id),
    name: associationName(),
    description: nullable(associationDescription()),
    type: associationType(),
    currency: currencyCode(),
    contribution_amount: described(money(), 'What each hand owes at each meeting.', 10_000),
    contribution_frequency: frequency(),
    max_members: maxMembers(),
    is_public: isPublic(),
    status: described(enumeration(ASSOCIATION_STATUSES), 'A closed association takes no changes.', 'active'),
    member_count: described(integer(0, MEMBERS_MAX), 'Active members.', 4),
    rules,
    rules_version: described(integer(1, Number.MAX_SAFE_INTEGER), 'Goes up with each change of the rules.', 1),
    created_at: at('When it was founded.', '2026-10-01T09:10:03.552Z'),
    membership: described(optional(membershipSummary), "The caller's own membership; absent for non-members."),
  }),
);
export type Association = Value<typeof association>;

export const member = named(
  'Member',
  object({
    id: ownId(EXAMPLE.member_id),
    association_id: associationId(),
    user_id: userId(),
    display_name: nullable(described(text(1, NAME_MAX_CODE_POINTS), 'As the member writes it.', 'Awa Ngono')),
    role: role(),
    status: memberStatus(),
    hands: hands(),
    payout_wallet_id: described(
      optional(nullable(walletId())),
      'Where payouts go. Present for the member himself and the board only.',
    ),
    joined_at: joinedAt(),
  }),
);
export type Member = Value<typeof member>;

const invitationFields = {
  id: ownId(EXAMPLE.invitation_id),
  max_uses: described(integer(1, INVITATION_USES_MAX), 'How many people may join with it.', 1),
  uses: described(integer(0, INVITATION_USES_MAX), 'How many have.', 0),
  expires_at: at('Until when it is good.', '2026-10-12T18:30:00.000Z'),
  created_at: at('When it was made.'),
};
export const invitation = named('Invitation', object(invitationFields));
export const newInvitation = named(
  'NewInvitation',
  object({
    ...invitationFields,
    code: described(
      opaque(INVITATION_CODE_MAX_LENGTH),
      'What the invited person gives to `POST /invitations/{code}/accept`. Shown here only.',
      'hWk3v0mYVb0p6kqCk2yqVg',
    ),
  }),
);
