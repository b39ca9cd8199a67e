/** The whole HTTP surface, below API_BASE: what each method and path does. What lies beside it is in pages/. */
import type { Endpoint } from '../../lib/contracts/action.ts';
import * as contribution from '../../lib/contracts/contribution.ts';
import * as governance from '../../lib/contracts/governance.ts';
import * as membership from '../../lib/contracts/membership.ts';
import * as treasury from '../../lib/contracts/treasury.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export interface Route {
  method: Method;
  /** Segments that begin with a colon are the members of the contract's `path`. */
  path: string;
  endpoint: Endpoint;
  /** Whether it is answered without a token. */
  open: boolean;
  /** `ndjson`: one transfer a line, streamed. `statement`: JSON, CSV or PDF by `Accept`. All else is one JSON value. */
  answer: 'json' | 'ndjson' | 'statement';
}

function route(method: Method, path: string, endpoint: Endpoint, more: Partial<Route> = {}): Route {
  return { method, path, endpoint, open: false, answer: 'json', ...more };
}

/** Whether answers carry an `ETag`: reads of one thing; a page of a list is read once, on the way to the next. */
export function givesTag({ method, endpoint, answer }: Route): boolean {
  const { spec } = endpoint.answer;
  const isPage = spec.kind === 'object' && Object.hasOwn(spec.fields, 'next_cursor');
  return method === 'GET' && answer === 'json' && !isPage;
}

const ASSOCIATION = '/associations/:association_id';
const MEETING = `${ASSOCIATION}/meetings/:meeting_id`;

export const ROUTES: readonly Route[] = [
  // Associations and members
  route('POST', '/associations', membership.createAssociation),
  route('GET', '/associations', membership.listPublicAssociations),
  route('GET', '/associations/my', membership.myAssociations),
  route('GET', ASSOCIATION, membership.getAssociation),
  route('GET', `${ASSOCIATION}/members`, membership.listMembers),
  route('POST', `${ASSOCIATION}/join`, membership.joinAssociation),
  route('POST', `${ASSOCIATION}/invitations`, membership.createInvitation),
  route('GET', `${ASSOCIATION}/invitations/:invitation_id`, membership.getInvitation),
  route('POST', '/invitations/:code/accept', membership.acceptInvitation),
  route('GET', `${ASSOCIATION}/members/me`, membership.getOwnMembership),
  route('PATCH', `${ASSOCIATION}/members/me`, membership.changeOwnMembership),
  route('DELETE', `${ASSOCIATION}/members/me`, membership.leaveAssociation),

  // PINs
  route('GET', '/keys/pin', membership.pinKeys, { open: true }),
  route('PUT', '/me/pin', membership.setPin),
  route('DELETE', '/users/:user_id/pin', membership.resetPin),

  // Wallets
  route('POST', '/wallets', treasury.openOwnWallet),
  route('GET', '/wallets/my', treasury.myWallets),
  route('GET', '/wallets/:wallet_id', treasury.getWallet),
  route('POST', '/wallets/:wallet_id/deposits', treasury.depositToWallet),
  route('POST', '/wallets/:wallet_id/withdrawals', treasury.withdrawFromWallet),
  route('GET', '/wallets/:wallet_id/transfers/:transfer_id', treasury.getWalletTransfer),

  // Cycles, meetings, contributions
  route('POST', `${ASSOCIATION}/cycles`, contribution.startCycle),
  route('GET', `${ASSOCIATION}/cycles`, contribution.listCycles),
  route('GET', `${ASSOCIATION}/cycles/:cycle_id`, contribution.getCycle),
  route('POST', `${ASSOCIATION}/meetings`, contribution.scheduleMeeting),
  route('GET', `${ASSOCIATION}/meetings`, contribution.listMeetings),
  route('GET', MEETING, contribution.getMeeting),
  route('PATCH', MEETING, contribution.changeMeeting),
  route('POST', `${MEETING}/cancel`, contribution.cancelMeeting),
  route('GET', `${MEETING}/dues`, contribution.listDues),
  route('GET', `${MEETING}/contributions`, contribution.listContributions),
  route('GET', `${MEETING}/contributions/:contribution_id`, contribution.getContribution),
  route('POST', `${MEETING}/contribute`, contribution.contribute),
  route('GET', `${MEETING}/settlement/preview`, contribution.previewSettlement),
  route('POST', `${MEETING}/settle`, contribution.settle),
  route('GET', `${MEETING}/settlement`, contribution.getSettlement),

  // Treasury and cash
  route('POST', `${ASSOCIATION}/cash-contribution`, treasury.recordCashContribution),
  route('GET', `${ASSOCIATION}/cash-ledger`, treasury.cashLedger),
  route('POST', `${ASSOCIATION}/distributions`, treasury.requestDistribution),
  route('GET', `${ASSOCIATION}/distributions`, treasury.listDistributions),
  route('GET', `${ASSOCIATION}/distributions/:distribution_id`, treasury.getDistribution),
  route('GET', `${ASSOCIATION}/balances`, treasury.balances),
  route('GET', `${ASSOCIATION}/ledger`, treasury.ledger),
  route('GET', `${ASSOCIATION}/ledger/head`, treasury.ledgerHead),
  route('GET', `${ASSOCIATION}/ledger/export`, treasury.ledgerExport, { answer: 'ndjson' }),
  route('GET', `${ASSOCIATION}/statement`, treasury.statement, { answer: 'statement' }),

  // Governance
  route('POST', `${ASSOCIATION}/governance/approve`, governance.approve),
  route('POST', `${ASSOCIATION}/governance/reject`, governance.reject),
  route('POST', `${ASSOCIATION}/governance/proposals`, governance.propose),
  route('GET', `${ASSOCIATION}/governance/approvals`, governance.listApprovals),
  route('GET', `${ASSOCIATION}/governance/approvals/:approval_id`, governance.getApproval),
  route('POST', `${ASSOCIATION}/governance/approvals/:approval_id/cancel`, governance.cancelApproval),
];
