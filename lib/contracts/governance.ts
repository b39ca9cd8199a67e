/** Contracts of the service that stores approvals, votes and proposals. */
import { healthCommand } from './action.ts';

export * from './governance/approvals.ts';
export * from './governance/overview.ts';
export * from './governance/proposal-payloads.ts';
export * from './governance/proposals.ts';
export * from './governance/read-proposal-payload.ts';

export const health = healthCommand('governance');
