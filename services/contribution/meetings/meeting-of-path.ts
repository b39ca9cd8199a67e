import type { EntityManager } from 'typeorm';
import { problem } from '../../../lib/errors/problem.ts';
import type { MeetingRow } from './meeting.table.ts';
import { findMeeting } from './meeting.store.ts';

/**
 * The meeting that a path names.
 * @throws not_found also where it belongs to another association
 */
export async function meetingOfPath(
  manager: EntityManager,
  path: { association_id: string; meeting_id: string },
): Promise<MeetingRow> {
  const meeting = await findMeeting(manager, path.association_id, path.meeting_id);
  if (meeting === null) throw problem('not_found');
  return meeting;
}
