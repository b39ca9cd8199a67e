/**
 * Contracts of the service that stores the double-entry ledger, wallets, the cash box and distributions. Only this
 * service moves money.
 */
import { healthCommand } from './action.ts';
import { lockAssociationCommand, unlockAssociationCommand } from './approvals.ts';

export * from './treasury/cash.ts';
export * from './treasury/corrections.ts';
export * from './treasury/distributions.ts';
export * from './treasury/ledger.ts';
export * from './treasury/requests.ts';
export * from './treasury/statements.ts';
export * from './treasury/wallets.ts';

/** Nothing remains if every account is at zero and every request is decided. */
export const lockAssociation = lockAssociationCommand('treasury');
export const unlockAssociation = unlockAssociationCommand('treasury');

export const health = healthCommand('treasury');
