/** The service that keeps approvals, votes and proposals: requests that others on the board have to approve. */
import { healthCommand } from './action.ts';

export * from './governance/approvals.ts';
export * from './governance/proposal-payloads.ts';
export * from './governance/proposals.ts';

export const health = healthCommand('governance');
