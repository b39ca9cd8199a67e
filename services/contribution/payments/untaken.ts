import type { EntityManager } from 'typeorm';
import { problem } from '../../../lib/errors/problem.ts';
import type { Problem } from '../../../lib/errors/problem.ts';
import { toMajor } from '../../../lib/money/amount.ts';
import { takesContributions } from '../meetings/meeting-states.ts';
import type { MeetingStatus } from '../meetings/meeting-states.ts';
import { leftToTake } from './dues.ts';

/** Why nothing was taken of a due: meeting_not_open, or contribution_exceeds_due with what is left. */
export async function untaken(
  manager: EntityManager,
  { meeting_id, member_id, currency }: { meeting_id: string; member_id: string; currency: string },
  meeting_status: MeetingStatus,
): Promise<Problem> {
  if (!takesContributions(meeting_status)) return problem('meeting_not_open');
  const outstanding = toMajor(await leftToTake(manager, meeting_id, member_id), currency);
  return problem('contribution_exceeds_due', { outstanding });
}
