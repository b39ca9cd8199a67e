import type { ActionSchema } from 'moleculer';
import { getAttendanceAction, recordAttendanceAction } from '../attendance/record-attendance.ts';
import type { ContributionDeps } from '../deps.ts';
import { cancelMeetingAction } from './cancel-meeting.ts';
import { changeMeetingAction } from './change-meeting.ts';
import { getMeetingAction, listMeetingsAction } from './read-meetings.ts';
import { meetingSummaryAction } from './read-summary.ts';
import { scheduleMeetingAction } from './schedule-meeting.ts';

/** The actions of meetings and their attendance. */
export function meetingActions(deps: ContributionDeps): Record<string, ActionSchema> {
  return {
    schedule_meeting: scheduleMeetingAction(deps),
    change_meeting: changeMeetingAction(deps),
    list_meetings: listMeetingsAction(deps),
    get_meeting: getMeetingAction(deps),
    meeting_summary: meetingSummaryAction(deps),
    cancel_meeting: cancelMeetingAction(deps),
    get_attendance: getAttendanceAction(deps),
    record_attendance: recordAttendanceAction(deps),
  };
}
