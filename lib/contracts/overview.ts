/** The contracts between membership, which answers the overview of a user, and the services that know its parts. */
import * as t from './fields.ts';

/** Each association may have many dues, and an answer must fit into one message of NATS. */
export const OVERVIEW_MAX_ASSOCIATIONS = 50;

/** Dues in each association: almost a year of weekly rounds. The meetings of the cycle have all. */
export const OVERVIEW_MAX_DUES = 50;

/** Rounds with arrears in each association: many more than a member has who can still pay them. The total contains all. */
export const OVERVIEW_MAX_ARREARS = 50;

/** Fines in each association: many more than a member has. The list of fines has all, and the total contains all. */
export const OVERVIEW_MAX_FINES = 50;

/** Approvals in each association: more than a board decides at one meeting. The list of approvals has all. */
export const OVERVIEW_MAX_APPROVALS = 20;

/** Defines the memberships about which a service is asked, each in another association. */
export const membershipsOf = <F extends t.Fields>(more: F) =>
  t.boundedList(t.object({ association_id: t.id(), member_id: t.id(), ...more }), 1, OVERVIEW_MAX_ASSOCIATIONS);
