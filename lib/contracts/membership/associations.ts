import { FREQUENCIES } from '../../calendar/calendar.ts';
import { UTC } from '../../calendar/zones.ts';
import * as t from '../fields.ts';
import { chapter } from '../action.ts';
import { metadata } from '../metadata.ts';
import { ROLES } from '../permissions.ts';
import { hands, joinedAt, memberStatus, NAME_MAX_CODE_POINTS, ownHands } from './members.ts';
import { DEFAULT_RULES, rules, RULES_ADDED } from './rules.ts';

export const ASSOCIATION_TYPES = ['tontine', 'savings', 'solidarity'] as const;
export const ASSOCIATION_STATUSES = ['active', 'closed'] as const;

const DESCRIPTION_MAX_CODE_POINTS = 2_000;
const MEMBERS_MIN = 2;
const MEMBERS_MAX = 10_000;
const MEMBERS_DEFAULT = 100;

// Fields that a new association, its answers and references to it share.

export const associationName = () =>
  t.text(1, NAME_MAX_CODE_POINTS, 'The name of the association.', 'Njangi of Bonamoussadi');
export const associationDescription = () =>
  t.text(0, DESCRIPTION_MAX_CODE_POINTS, 'Free text.', 'Twelve neighbours, one pot a month.');
export const associationType = () =>
  t.enumeration(
    ASSOCIATION_TYPES,
    '`tontine`: a rotating pot. At each meeting every member pays in, and another member receives the pot. ' +
      '`savings`: payments are kept, and returned at the end of the cycle. `solidarity`: a mutual-aid fund, which ' +
      'pays approved distributions.',
    'tontine',
  );
export const associationCurrency = () => t.currencyCode('ISO 4217. Amounts are in its major unit.');
export const associationStatus = () =>
  t.enumeration(ASSOCIATION_STATUSES, 'A closed association accepts no changes.', 'active');
const frequency = () => t.enumeration(FREQUENCIES, 'How often contributions are due.', 'monthly');
export const maxMembers = () => t.integer(MEMBERS_MIN, MEMBERS_MAX, 'The maximum number of members.', 100);
export const isPublic = () =>
  t.boolean('Whether the public directory lists the association and every user may join it.', true);
const timeZone = () =>
  t.timeZone(
    'The IANA name of the time zone in which the days of the association are judged: `today`, due days, deadlines.',
    'Africa/Douala',
  );
const CONTRIBUTION_AMOUNT = 'What each hand (share in the rotation) owes at each meeting.';

export const membershipSummary = t.record('MembershipSummary', {
  member_id: t.memberId("The caller's member id in this association.", t.EXAMPLE.president_id),
  role: t.enumeration(ROLES, 'Their role.', 'president'),
  status: memberStatus(),
  hands: hands(),
  joined_at: joinedAt(),
});

export const associationFields = {
  id: t.ownId(t.EXAMPLE.association_id),
  name: associationName(),
  description: t.nullable(associationDescription()),
  type: associationType(),
  currency: associationCurrency(),
  contribution_amount: t.money(CONTRIBUTION_AMOUNT, 10_000),
  contribution_frequency: frequency(),
  time_zone: timeZone(),
  max_members: maxMembers(),
  is_public: isPublic(),
  status: associationStatus(),
  member_count: t.integer(0, MEMBERS_MAX, 'The number of active members.', 4),
  rules,
  rules_version: t.integer(1, t.UNBOUNDED, 'The version increases with each change of the rules.', 1),
  created_at: t.at('When it was created.', '2026-10-01T09:10:03.552Z'),
  metadata,
  membership: t.describe(t.optional(membershipSummary), "The caller's own membership; absent for non-members."),
};
const association = t.record('Association', associationFields);
export type Association = t.Value<typeof association>;

const endpoint = chapter('Associations');

export const createAssociation = endpoint({
  name: 'membership.create_association',
  summary: 'Create an association',
  description:
    'The caller becomes its president, and gets a wallet in its currency if they have none. Type, currency, frequency ' +
    'and time zone never change; proposals can change amount, rules and size.',
  body: {
    name: associationName(),
    description: t.optional(associationDescription()),
    type: associationType(),
    currency: t.currencyCode('ISO 4217, of a currency that has minor units.'),
    contribution_amount: t.amount(CONTRIBUTION_AMOUNT, 10_000),
    contribution_frequency: frequency(),
    time_zone: t.withDefault(timeZone(), UTC),
    max_members: t.withDefault(maxMembers(), MEMBERS_DEFAULT),
    is_public: t.withDefault(isPublic(), false),
    rules: t.withDefault(rules, DEFAULT_RULES),
    ...ownHands,
    metadata,
  },
  added_defaults: { time_zone: UTC, rules: RULES_ADDED },
  status: 201,
  answer: association,
});

export const listPublicAssociations = endpoint({
  name: 'membership.list_public_associations',
  summary: 'Search the public directory',
  description: 'Active public associations, newest first.',
  query: {
    ...t.pageQuery,
    q: t.optional(
      t.text(
        1,
        NAME_MAX_CODE_POINTS,
        'Words, or parts of words, in the name or description. Letter case and accents are ignored.',
        'njangi',
      ),
    ),
    type: t.optional(t.enumeration(ASSOCIATION_TYPES, 'Only of this type.', 'tontine')),
    currency: t.optional(t.currencyCode('Only in this currency.')),
    contribution_frequency: t.optional(t.enumeration(FREQUENCIES, 'Only with this frequency.', 'monthly')),
  },
  answer: t.pageOf(association),
});

export const myAssociations = endpoint({
  name: 'membership.my_associations',
  summary: "List the caller's associations",
  description: 'The associations of which the caller is an active member, newest membership first.',
  query: t.pageQuery,
  answer: t.pageOf(association),
});

export const getAssociation = endpoint({
  name: 'membership.get_association',
  summary: 'Show an association',
  description: 'Members may read a private association, and every user a public one.',
  path: t.inAssociation,
  answer: association,
});

export const changeAssociation = endpoint({
  name: 'membership.change_association',
  summary: 'Change the name, description or visibility of an association',
  description:
    'Absent fields stay as they are, and at least one is required. An association that is no longer public keeps its members.',
  permission: 'change_association',
  path: t.inAssociation,
  body: {
    name: t.optional(associationName()),
    description: t.optional(associationDescription()),
    is_public: t.optional(isPublic()),
  },
  body_min_members: 1,
  answer: association,
  examples: { body: { description: 'Thirteen neighbours, one pot a month.' } },
});
