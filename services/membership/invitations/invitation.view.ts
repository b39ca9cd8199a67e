import type { Answer } from '../../../lib/contracts/action.ts';
import type { getInvitation, previewInvitation } from '../../../lib/contracts/membership.ts';
import { toMajor } from '../../../lib/money/amount.ts';
import type { OfferedAssociation } from './invitation.store.ts';
import type { InvitationRow } from './invitation.table.ts';

/** Returns an invitation as those who may invite see it. */
export function showInvitation({
  id,
  max_uses,
  uses,
  expires_at,
  created_at,
}: Omit<InvitationRow, 'code_hash'>): Answer<typeof getInvitation> {
  return { id, max_uses, uses, expires_at: expires_at.toISOString(), created_at: created_at.toISOString() };
}

/** Returns what every user sees who has the code. */
export function showPreview(offered: OfferedAssociation): Answer<typeof previewInvitation> {
  return {
    association_id: offered.association_id,
    name: offered.name,
    description: offered.description,
    type: offered.type,
    currency: offered.currency,
    contribution_amount: toMajor(offered.contribution_amount_minor, offered.currency),
    contribution_frequency: offered.contribution_frequency,
    member_count: offered.member_count,
    max_members: offered.max_members,
    expires_at: offered.expires_at.toISOString(),
  };
}
