/** Contracts of the service that stores cycles, meetings, contributions, settlements and arrears. */
import { healthCommand } from './action.ts';
import { executeApprovalCommand, lockAssociationCommand, unlockAssociationCommand } from './approvals.ts';

export * from './contribution/arrears.ts';
export * from './contribution/attendance.ts';
export * from './contribution/contributions.ts';
export * from './contribution/cycles.ts';
export * from './contribution/fines.ts';
export * from './contribution/forms.ts';
export * from './contribution/meeting-summary.ts';
export * from './contribution/meetings.ts';
export * from './contribution/overview.ts';
export * from './contribution/reversals.ts';
export * from './contribution/settlements.ts';
export * from './contribution/sheets.ts';

/** Waives the rest of a fine, or confirms or returns a meeting sheet, once per approval. */
export const executeApproval = executeApprovalCommand('contribution');

/** Nothing remains if there is no open cycle or meeting, there are no arrears and no fines due, and no cycle is about to start. */
export const lockAssociation = lockAssociationCommand('contribution');
export const unlockAssociation = unlockAssociationCommand('contribution');

export const health = healthCommand('contribution');
