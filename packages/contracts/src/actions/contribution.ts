/** The public actions of the service that stores cycles, meetings, contributions and settlements. */
export { listArrears } from '../../../../lib/contracts/contribution/arrears.ts';
export { getAttendance } from '../../../../lib/contracts/contribution/attendance.ts';
export { getContribution, listContributions, listDues } from '../../../../lib/contracts/contribution/contributions.ts';
export { getCycle, listCycles } from '../../../../lib/contracts/contribution/cycles.ts';
export { getFine, listFines } from '../../../../lib/contracts/contribution/fines.ts';
export { printSheet } from '../../../../lib/contracts/contribution/forms.ts';
export { meetingSummary } from '../../../../lib/contracts/contribution/meeting-summary.ts';
export { getMeeting, listMeetings } from '../../../../lib/contracts/contribution/meetings.ts';
export { getSettlement, previewSettlement } from '../../../../lib/contracts/contribution/settlements.ts';
export { getSheet, listSheets } from '../../../../lib/contracts/contribution/sheets.ts';
