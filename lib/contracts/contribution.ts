/** Contracts of the service that stores cycles, meetings, contributions, settlements and arrears. */
import { healthCommand } from './action.ts';
import { lockAssociationCommand, unlockAssociationCommand } from './approvals.ts';

export * from './contribution/arrears.ts';
export * from './contribution/contributions.ts';
export * from './contribution/cycles.ts';
export * from './contribution/meetings.ts';
export * from './contribution/overview.ts';
export * from './contribution/settlements.ts';

/** Nothing remains if there is no open cycle or meeting, there are no arrears, and no cycle is about to start. */
export const lockAssociation = lockAssociationCommand('contribution');
export const unlockAssociation = unlockAssociationCommand('contribution');

export const health = healthCommand('contribution');
