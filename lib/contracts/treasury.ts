/** The service that keeps the double-entry ledger, wallets, the cash box and distributions: only here does money move. */
import { healthCommand } from './action.ts';
import { lockAssociationCommand, unlockAssociationCommand } from './approvals.ts';

export * from './treasury/cash.ts';
export * from './treasury/distributions.ts';
export * from './treasury/ledger.ts';
export * from './treasury/requests.ts';
export * from './treasury/statements.ts';
export * from './treasury/wallets.ts';

/** Nothing remains: every account is at zero, and every request is decided. */
export const lockAssociation = lockAssociationCommand('treasury');
export const unlockAssociation = unlockAssociationCommand('treasury');

export const health = healthCommand('treasury');
