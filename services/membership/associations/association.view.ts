import { completeRules, type Association, type Terms } from '../../../lib/contracts/membership.ts';
import { toMajor } from '../../../lib/money/amount.ts';
import type { Viewer } from '../members/member.table.ts';
import type { AgreedTerms, AssociationRow } from './association.table.ts';

/** Returns an association as clients see it. */
export function showAssociation(association: AssociationRow, viewer: Viewer | null): Association {
  return {
    id: association.id,
    name: association.name,
    description: association.description,
    type: association.type,
    currency: association.currency,
    contribution_amount: toMajor(association.contribution_amount_minor, association.currency),
    contribution_frequency: association.contribution_frequency,
    time_zone: association.time_zone,
    max_members: association.max_members,
    is_public: association.is_public,
    status: association.status,
    member_count: association.member_count,
    rules: completeRules(association.rules),
    rules_version: association.rules_version,
    created_at: association.created_at.toISOString(),
    metadata: association.metadata ?? {},
    ...(viewer === null ? {} : { membership: showViewer(viewer) }),
  };
}

/** Returns the reader's own membership, as they see it. */
export function showViewer({
  id: member_id,
  role,
  status,
  hands,
  joined_at,
}: Viewer): NonNullable<Association['membership']> {
  return { member_id, role, status, hands, joined_at: joined_at.toISOString() };
}

/** Returns the terms in the form that other services receive. */
export function termsOf(association: AgreedTerms): Terms {
  return {
    association_id: association.id,
    name: association.name,
    type: association.type,
    status: association.status,
    currency: association.currency,
    contribution_amount_minor: Number(association.contribution_amount_minor),
    contribution_frequency: association.contribution_frequency,
    rules: completeRules(association.rules),
    rules_version: association.rules_version,
    time_zone: association.time_zone,
  };
}
