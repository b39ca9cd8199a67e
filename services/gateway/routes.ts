/** The whole HTTP surface: each line is a method, a path, and the action or page that answers it. */
import type { Settings } from '../../lib/config/settings.ts';
import type { Endpoint } from '../../lib/contracts/action.ts';
import { advanceClock } from '../../lib/contracts/clock.ts';
import * as contribution from '../../lib/contracts/contribution.ts';
import * as governance from '../../lib/contracts/governance.ts';
import * as membership from '../../lib/contracts/membership.ts';
import { route as declaredRoute, type Method } from '../../lib/contracts/service-api.ts';
import * as treasury from '../../lib/contracts/treasury.ts';
import { scrape } from '../../lib/telemetry/scrape.ts';
import { docsPage, docsScript, docsStyle, documentPage, swaggerFile } from './docs/docs-pages.ts';
import { problemIndex, problemPage } from './docs/problem-pages.ts';
import { jsonPage } from './http/answer.ts';
import type { Route } from './http/route.rules.ts';
import type { Page } from './http/router.ts';

function route(method: Method, path: string, endpoint: Endpoint, more: Partial<Route> = {}): Route {
  return { ...declaredRoute(method, path, endpoint), answer: 'json', ...more };
}

const ASSOCIATION = '/associations/:association_id';
const MEETING = `${ASSOCIATION}/meetings/:meeting_id`;

/** The API below API_BASE. Each route calls the action of its contract. Further services declare theirs: see further-apis/. */
export const ROUTES: readonly Route[] = [
  // Associations and members
  route('POST', '/associations', membership.createAssociation),
  route('GET', '/associations', membership.listPublicAssociations),
  route('GET', '/associations/my', membership.myAssociations),
  route('GET', ASSOCIATION, membership.getAssociation),
  route('PATCH', ASSOCIATION, membership.changeAssociation),
  route('GET', `${ASSOCIATION}/members`, membership.listMembers),
  route('POST', `${ASSOCIATION}/join`, membership.joinAssociation),
  route('POST', `${ASSOCIATION}/invitations`, membership.createInvitation),
  route('GET', `${ASSOCIATION}/invitations`, membership.listInvitations),
  route('GET', `${ASSOCIATION}/invitations/:invitation_id`, membership.getInvitation),
  route('DELETE', `${ASSOCIATION}/invitations/:invitation_id`, membership.withdrawInvitation),
  route('GET', '/invitations/:code', membership.previewInvitation),
  route('POST', '/invitations/:code/accept', membership.acceptInvitation),
  route('GET', `${ASSOCIATION}/members/me`, membership.getOwnMembership),
  route('PATCH', `${ASSOCIATION}/members/me`, membership.changeOwnMembership),
  route('DELETE', `${ASSOCIATION}/members/me`, membership.leaveAssociation),

  // The caller's home screen
  route('GET', '/me/overview', membership.overview),

  // PINs
  route('GET', '/keys/pin', membership.pinKeys),
  route('GET', '/me/pin', membership.pinState),
  route('PUT', '/me/pin', membership.setPin),
  route('DELETE', '/users/:user_id/pin', membership.resetPin),

  // Wallets
  route('POST', '/wallets', treasury.openOwnWallet),
  route('GET', '/wallets/my', treasury.myWallets),
  route('GET', '/wallets/:wallet_id', treasury.getWallet),
  route('POST', '/wallets/:wallet_id/deposits', treasury.depositToWallet),
  route('POST', '/wallets/:wallet_id/withdrawals', treasury.withdrawFromWallet),
  route('GET', '/wallets/:wallet_id/transfers', treasury.listWalletTransfers),
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
  route('GET', `${ASSOCIATION}/arrears`, contribution.listArrears),

  // Sheets, attendance and fines
  route('GET', `${MEETING}/sheet.pdf`, contribution.printSheet, { answer: 'sheet' }),
  route('GET', `${MEETING}/attendance`, contribution.getAttendance),
  route('PUT', `${MEETING}/attendance`, contribution.recordAttendance),
  route('GET', `${MEETING}/sheets`, contribution.listSheets),
  route('PUT', `${MEETING}/sheets/:sheet_id`, contribution.putSheet),
  route('GET', `${MEETING}/sheets/:sheet_id`, contribution.getSheet),
  route('POST', `${MEETING}/sheets/:sheet_id/submit`, contribution.submitSheet),
  route('GET', `${ASSOCIATION}/fines`, contribution.listFines),
  route('POST', `${ASSOCIATION}/fines`, contribution.assessFine),
  route('GET', `${ASSOCIATION}/fines/:fine_id`, contribution.getFine),
  route('POST', `${ASSOCIATION}/fines/:fine_id/pay`, contribution.payFine),

  // Treasury and cash
  route('POST', `${ASSOCIATION}/cash-contribution`, treasury.recordCashContribution),
  route('GET', `${ASSOCIATION}/cash-contributions`, treasury.listCashContributions),
  route('GET', `${ASSOCIATION}/cash-contributions/:cash_contribution_id`, treasury.getCashContribution),
  route('GET', `${ASSOCIATION}/cash-ledger`, treasury.cashLedger),
  route('POST', `${ASSOCIATION}/distributions`, treasury.requestDistribution),
  route('GET', `${ASSOCIATION}/distributions`, treasury.listDistributions),
  route('GET', `${ASSOCIATION}/distributions/:distribution_id`, treasury.getDistribution),
  route('POST', `${ASSOCIATION}/corrections`, treasury.requestCorrection),
  route('GET', `${ASSOCIATION}/corrections`, treasury.listCorrections),
  route('GET', `${ASSOCIATION}/corrections/:correction_id`, treasury.getCorrection),
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

/** Below the root of the server, and not in the documents: only tests have it. */
export function clockRoutes({ clock }: Pick<Settings, 'clock'>): readonly Route[] {
  return clock === 'test' ? [route('POST', '/clock', advanceClock)] : [];
}

function page(path: string, answer: Page['answer']): Page {
  return { path, answer };
}

/** Public pages below the root of the server. */
export const PAGES: readonly Page[] = [
  // Probes and metrics. UNCOUNTED in http/receive.ts excludes them from the rate limit.
  page('/health/live', () => jsonPage({ status: 'live' })),
  page('/health/ready', async (_request, { readiness }) => jsonPage(await readiness())),
  page('/metrics', scrape),

  // The pages to which the `type` of a problem links
  page('/problems', problemIndex),
  page('/problems/:code', problemPage),

  // The documents. The code that makes them is loaded at the first request.
  page(
    '/openapi.json',
    documentPage(async (further) => (await import('./openapi/document.ts')).openApiDocument(ROUTES, further)),
  ),
  page(
    '/asyncapi.json',
    documentPage(async () => (await import('./asyncapi/document.ts')).asyncApiDocument()),
  ),

  // The interactive reference
  page('/', () => ({ status: 302, contentType: 'text/plain', body: '', headers: { Location: '/docs' } })),
  page('/docs', docsPage),
  page('/docs/start.js', docsScript),
  page('/docs/docs.css', docsStyle),
  page('/docs/:version/:file', swaggerFile),
];
