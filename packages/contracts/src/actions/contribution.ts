/** The public actions of the service that stores cycles, meetings, contributions and settlements. */
export { listArrears } from '../../../../lib/contracts/contribution/arrears.ts';
export { getContribution, listContributions, listDues } from '../../../../lib/contracts/contribution/contributions.ts';
export { getCycle, listCycles } from '../../../../lib/contracts/contribution/cycles.ts';
export { getMeeting, listMeetings } from '../../../../lib/contracts/contribution/meetings.ts';
export { getSettlement, previewSettlement } from '../../../../lib/contracts/contribution/settlements.ts';
