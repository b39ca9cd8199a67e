/** The public actions of the service that stores approvals, votes and proposals. */
export { getApproval, listApprovals, waitingVotes } from '../../../../lib/contracts/governance/approvals.ts';
