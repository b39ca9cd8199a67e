import type { Answer } from '../../../lib/contracts/action.ts';
import type { meetingSummary } from '../../../lib/contracts/contribution.ts';
import type { Owing } from '../payments/contribution.store.ts';
import { shareOut } from '../settlement/pot.rules.ts';
import type { PaidOut } from '../settlement/settlement.store.ts';
import type { ShownMeetingRow } from './meeting.table.ts';

/** A page of members after one of them. */
export interface MemberPage {
  after_id: string;
  limit: number;
}

/**
 * Returns a page of the summary of a meeting.
 * @param owing of at least one member more than the page can have, by id, or of all who are left; so `paid`
 */
export function showSummary(
  meeting: ShownMeetingRow,
  owing: readonly Owing[],
  paid: readonly PaidOut[],
  { after_id, limit }: MemberPage,
): Answer<typeof meetingSummary> {
  const turns = shareOut(meeting.expected_minor, meeting.turns).filter(({ member_id }) => member_id > after_id);
  const member_ids = new Set([...owing, ...turns, ...paid].map(({ member_id }) => member_id));
  // PostgreSQL sorts UUIDs by their bytes, and so as their texts.
  const last_id = member_ids.size > limit ? [...member_ids].sort()[limit - 1] : undefined;
  const isOnPage = ({ member_id }: { member_id: string }) => last_id === undefined || member_id <= last_id;
  return {
    meeting_id: meeting.id,
    cycle_id: meeting.cycle_id,
    round: meeting.round,
    title: meeting.title,
    due_on: meeting.due_on,
    status: meeting.status,
    currency: meeting.currency,
    dues: owing.filter(isOnPage).map(({ member_id, outstanding_minor, arrears_minor }) => {
      return { member_id, outstanding_minor: Number(outstanding_minor), arrears_minor: Number(arrears_minor) };
    }),
    beneficiaries: turns.filter(isOnPage).map(({ member_id, amount_minor }) => {
      return { member_id, expected_minor: Number(amount_minor) };
    }),
    payouts: paid.filter(isOnPage).map(({ member_id, amount_minor, method }) => {
      return { member_id, amount_minor: Number(amount_minor), method };
    }),
    next_member_id: last_id ?? null,
  };
}
