import * as t from '../fields.ts';
import { chapter } from '../action.ts';
import { ownFigures } from '../contribution/overview.ts';
import { waitingApprovals } from '../governance/overview.ts';
import { OVERVIEW_MAX_ASSOCIATIONS } from '../overview.ts';
import { wallet } from '../treasury/wallets.ts';
import {
  associationCurrency,
  associationName,
  associationStatus,
  associationType,
  membershipSummary,
} from './associations.ts';

const associationOverview = t.record('AssociationOverview', {
  id: t.ownId(t.EXAMPLE.association_id),
  name: associationName(),
  type: associationType(),
  currency: associationCurrency(),
  status: associationStatus(),
  membership: t.describe(membershipSummary, "The caller's own membership."),
  ...ownFigures,
  approvals: waitingApprovals,
});
export type AssociationOverview = t.Value<typeof associationOverview>;

export const overview = chapter('Associations')({
  name: 'membership.overview',
  summary: "Show the caller's overview",
  description:
    'For a home screen: for each association of which the caller is an active member what they owe, when it is their ' +
    'turn and what waits for their vote; and their wallets, on each page. Newest membership first, at most ' +
    `${String(OVERVIEW_MAX_ASSOCIATIONS)} associations on a page.`,
  query: t.pageQuery,
  answer: t.record('Overview', {
    associations: t.list(associationOverview, 'The associations of this page.'),
    next_cursor: t.nextCursor(),
    wallets: t.list(wallet, 'All wallets of the caller, the oldest first.'),
  }),
});
