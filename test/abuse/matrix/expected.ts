/**
 * Who may do what, written from the specification and not derived from the code: the answer to every caller for every
 * operation. The test fails if an operation of the OpenAPI document is missing here.
 */

/** What the words of the tables mean: `<status> <code>`, or the kind of success. */
export const ANSWERS = {
  yes: 'success',
  none: 'an empty list',
  '404': '404 not_found',
  role: '403 role_not_allowed',
  scope: '403 insufficient_scope',
  'no-pin': '409 pin_not_set',
  member: '409 already_member',
  full: '409 association_full',
  owes: '409 member_has_obligations',
  presides: '409 president_cannot_leave',
  running: '409 cycle_in_progress',
  'in-cycle': '409 meeting_in_cycle',
  settled: '409 meeting_not_open',
  own: '403 own_request',
  theirs: '403 not_requester',
  invalid: '422 validation_failed',
  'no-code': '409 no_code_waiting',
} as const;
export type Answer = keyof typeof ANSWERS;

/** Answers to a request without a valid token, for all operations but those in OPEN. */
export const WITHOUT_TOKEN = {
  anonymous: '401 token_missing',
  forged: '401 token_invalid',
  expired: '401 token_expired',
} as const;
export const OPEN = ['pinKeys'];

/**
 * The callers of the table below, in its order, seen from a private association with a running cycle:
 *
 * - stranger: a user without any membership, one whose scopes only resemble real ones, and the president, treasurer,
 *   secretary and a member of another association
 * - left, expelled: former members; the one who was expelled had been a treasurer
 * - member, demoted: plain members; the second had been a treasurer
 * - no_pin: a treasurer without a PIN
 * - bank, desk, app: users without a membership whose tokens have the scope `wallets:fund`, `pins:reset` or `webhooks:manage`
 */
export const COLUMNS = [
  ...['stranger', 'left', 'expelled', 'member', 'demoted', 'no_pin'],
  ...['secretary', 'treasurer', 'president', 'bank', 'desk', 'app'],
] as const;

/**
 * The objects are those of the association: a wallet of the president, an approval that the secretary requested, an open
 * round, and for `settle`, `getSettlement` and `getContribution` a settled one.
 */
const OPERATIONS = `
                             stranger  left     expelled  member   demoted  no_pin   secretary  treasurer  president  bank     desk     app

listPublicAssociations       yes       yes      yes       yes      yes      yes      yes        yes        yes        yes      yes      yes
createAssociation            yes       yes      yes       yes      yes      yes      yes        yes        yes        yes      yes      yes
myAssociations               yes       yes      yes       yes      yes      yes      yes        yes        yes        yes      yes      yes
overview                     yes       yes      yes       yes      yes      yes      yes        yes        yes        yes      yes      yes
getAssociation               404       404      404       yes      yes      yes      yes        yes        yes        404      404      404
changeAssociation            404       404      404       role     role     role     yes        role       yes        404      404      404
listMembers                  404       404      404       yes      yes      yes      yes        yes        yes        404      404      404
join                         404       404      404       member   member   member   member     member     member     404      404      404
createInvitation             404       404      404       role     role     role     yes        role       yes        404      404      404
getInvitation                404       404      404       role     role     role     yes        role       yes        404      404      404
listInvitations              404       404      404       role     role     role     yes        role       yes        404      404      404
withdrawInvitation           404       404      404       role     role     role     yes        role       yes        404      404      404
previewInvitation            yes       yes      yes       yes      yes      yes      yes        yes        yes        yes      yes      yes
acceptInvitation             yes       yes      yes       member   member   member   member     member     member     yes      yes      yes
getOwnMembership             404       404      404       yes      yes      yes      yes        yes        yes        404      404      404
changeOwnMembership          404       404      404       yes      yes      no-pin   yes        yes        yes        404      404      404
leave                        404       404      404       owes     owes     owes     owes       owes       presides   404      404      404

pinKeys                      yes       yes      yes       yes      yes      yes      yes        yes        yes        yes      yes      yes
pinState                     yes       yes      yes       yes      yes      yes      yes        yes        yes        yes      yes      yes
setPin                       yes       yes      yes       yes      yes      yes      yes        yes        yes        yes      yes      yes
resetPin                     scope     scope    scope     scope    scope    scope    scope      scope      scope      scope    yes      scope

openOwnWallet                yes       yes      yes       yes      yes      yes      yes        yes        yes        yes      yes      yes
myWallets                    yes       yes      yes       yes      yes      yes      yes        yes        yes        yes      yes      yes
getWallet                    404       404      404       404      404      404      404        404        yes        404      404      404
deposit                      404       404      404       404      404      404      404        404        scope      yes      404      404
withdraw                     404       404      404       404      404      404      404        404        scope      yes      404      404
listWalletTransfers          404       404      404       404      404      404      404        404        yes        yes      404      404
getWalletTransfer            404       404      404       404      404      404      404        404        yes        yes      404      404

startCycle                   404       404      404       role     role     role     running    role       running    404      404      404
listCycles                   404       404      404       yes      yes      yes      yes        yes        yes        404      404      404
getCycle                     404       404      404       yes      yes      yes      yes        yes        yes        404      404      404
scheduleMeeting              404       404      404       role     role     role     yes        role       yes        404      404      404
listMeetings                 404       404      404       yes      yes      yes      yes        yes        yes        404      404      404
getMeeting                   404       404      404       yes      yes      yes      yes        yes        yes        404      404      404
changeMeeting                404       404      404       role     role     role     yes        role       yes        404      404      404
cancelMeeting                404       404      404       role     role     role     in-cycle   role       in-cycle   404      404      404
listDues                     404       404      404       yes      yes      yes      yes        yes        yes        404      404      404
listContributions            404       404      404       yes      yes      yes      yes        yes        yes        404      404      404
getContribution              404       404      404       yes      yes      yes      yes        yes        yes        404      404      404
contribute                   404       404      404       yes      yes      no-pin   yes        yes        yes        404      404      404
previewSettlement            404       404      404       yes      yes      yes      yes        yes        yes        404      404      404
settle                       404       404      404       role     role     settled  role       settled    settled    404      404      404
getSettlement                404       404      404       yes      yes      yes      yes        yes        yes        404      404      404
listArrears                  404       404      404       yes      yes      yes      yes        yes        yes        404      404      404

listSheets                   404       404      404       yes      yes      yes      yes        yes        yes        404      404      404
getSheet                     404       404      404       yes      yes      yes      yes        yes        yes        404      404      404
putSheet                     404       404      404       role     role     yes      yes        yes        yes        404      404      404
submitSheet                  404       404      404       role     role     no-pin   yes        yes        yes        404      404      404
printSheet                   404       404      404       yes      yes      yes      yes        yes        yes        404      404      404
getAttendance                404       404      404       yes      yes      yes      yes        yes        yes        404      404      404
recordAttendance             404       404      404       role     role     role     yes        role       yes        404      404      404
listFines                    404       404      404       yes      yes      yes      yes        yes        yes        404      404      404
getFine                      404       404      404       yes      yes      yes      yes        yes        yes        404      404      404
assessFine                   404       404      404       role     role     yes      yes        yes        own        404      404      404
payFine                      404       404      404       yes      yes      no-pin   yes        yes        yes        404      404      404

recordCashContribution       404       404      404       role     role     no-pin   yes        yes        yes        404      404      404
listCashContributions        404       404      404       yes      yes      yes      yes        yes        yes        404      404      404
getCashContribution          404       404      404       yes      yes      yes      yes        yes        yes        404      404      404
cashLedger                   404       404      404       yes      yes      yes      yes        yes        yes        404      404      404
requestDistribution          404       404      404       role     role     yes      yes        yes        yes        404      404      404
listDistributions            404       404      404       yes      yes      yes      yes        yes        yes        404      404      404
getDistribution              404       404      404       yes      yes      yes      yes        yes        yes        404      404      404
requestCorrection            404       404      404       role     role     no-pin   role       yes        yes        404      404      404
listCorrections              404       404      404       yes      yes      yes      yes        yes        yes        404      404      404
getCorrection                404       404      404       yes      yes      yes      yes        yes        yes        404      404      404
balances                     404       404      404       yes      yes      yes      yes        yes        yes        404      404      404
ledger                       404       404      404       yes      yes      yes      yes        yes        yes        404      404      404
ledgerHead                   404       404      404       yes      yes      yes      yes        yes        yes        404      404      404
ledgerExport                 404       404      404       yes      yes      yes      yes        yes        yes        404      404      404
statement                    404       yes      yes       yes      yes      yes      yes        yes        yes        404      404      404
statement?member_id          404       404      404       role     role     yes      yes        yes        yes        404      404      404

approve                      404       404      404       role     role     no-pin   own        yes        yes        404      404      404
reject                       404       404      404       role     role     no-pin   own        yes        yes        404      404      404
propose                      404       404      404       role     role     yes      yes        yes        yes        404      404      404
listApprovals                404       404      404       yes      yes      yes      yes        yes        yes        404      404      404
getApproval                  404       404      404       yes      yes      yes      yes        yes        yes        404      404      404
cancelApproval               404       404      404       theirs   theirs   theirs   yes        theirs     theirs     404      404      404

listWebhooks                 404       404      404       role     role     role     yes        role       yes        404      404      404
createWebhook                404       404      404       role     role     role     yes        role       yes        404      404      404
getWebhook                   404       404      404       role     role     role     yes        role       yes        404      404      404
changeWebhook                404       404      404       role     role     role     yes        role       yes        404      404      404
deleteWebhook                404       404      404       role     role     role     yes        role       yes        404      404      404
rotateWebhookSecret          404       404      404       role     role     role     yes        role       yes        404      404      404
listWebhookDeliveries        404       404      404       role     role     role     yes        role       yes        404      404      404
retryWebhookDelivery         404       404      404       role     role     role     yes        role       yes        404      404      404
replayWebhookEvents          404       404      404       role     role     role     yes        role       yes        404      404      404
pingWebhook                  404       404      404       role     role     role     yes        role       yes        404      404      404

listGlobalWebhooks           scope     scope    scope     scope    scope    scope    scope      scope      scope      scope    scope    yes
createGlobalWebhook          scope     scope    scope     scope    scope    scope    scope      scope      scope      scope    scope    yes
getGlobalWebhook             scope     scope    scope     scope    scope    scope    scope      scope      scope      scope    scope    yes
changeGlobalWebhook          scope     scope    scope     scope    scope    scope    scope      scope      scope      scope    scope    yes
deleteGlobalWebhook          scope     scope    scope     scope    scope    scope    scope      scope      scope      scope    scope    yes
rotateGlobalWebhookSecret    scope     scope    scope     scope    scope    scope    scope      scope      scope      scope    scope    yes
listGlobalWebhookDeliveries  scope     scope    scope     scope    scope    scope    scope      scope      scope      scope    scope    yes
retryGlobalWebhookDelivery   scope     scope    scope     scope    scope    scope    scope      scope      scope      scope    scope    yes
replayGlobalWebhookEvents    scope     scope    scope     scope    scope    scope    scope      scope      scope      scope    scope    yes
pingGlobalWebhook            scope     scope    scope     scope    scope    scope    scope      scope      scope      scope    scope    yes

getPreferences               yes       yes      yes       yes      yes      yes      yes        yes        yes        yes      yes      yes
changePreferences            yes       yes      yes       yes      yes      yes      yes        yes        yes        yes      yes      yes
confirmAddress               no-code   no-code  no-code   no-code  no-code  no-code  no-code    no-code    no-code    no-code  no-code  no-code
listSent                     yes       yes      yes       yes      yes      yes      yes        yes        yes        yes      yes      yes
`;

/** What a public association that is full answers to users who are not its members, if it is not 404. */
export const PUBLIC: Record<string, Answer> = { getAssociation: 'yes', join: 'full' };

/**
 * Where requests name objects, and the answer to an id of another association, to one that no object has, to a malformed
 * one, and to another member's wallet. An id in the path is refused before the caller's role is checked, an id in the
 * query or body after their role and PIN.
 */
const IDS = `
previewInvitation            path   code                              404
acceptInvitation             path   code                              404
getInvitation                path   invitation_id                     404
withdrawInvitation           path   invitation_id                     404
changeOwnMembership          body   payout_wallet_id                  404
getWallet                    path   wallet_id                         404
deposit                      path   wallet_id                         404
withdraw                     path   wallet_id                         404
listWalletTransfers          path   wallet_id                         404
getWalletTransfer            path   wallet_id                         404
getWalletTransfer            path   transfer_id                       404
startCycle                   body   member_order                      invalid
getCycle                     path   cycle_id                          404
listMeetings                 query  cycle_id                          none
getMeeting                   path   meeting_id                        404
changeMeeting                path   meeting_id                        404
cancelMeeting                path   meeting_id                        404
listDues                     path   meeting_id                        404
listDues                     query  member_id                         none
listContributions            path   meeting_id                        404
getContribution              path   meeting_id                        404
getContribution              path   contribution_id                   404
contribute                   path   meeting_id                        404
contribute                   body   wallet_id                         404
contribute                   body   for_member_id                     404
previewSettlement            path   meeting_id                        404
settle                       path   meeting_id                        404
getSettlement                path   meeting_id                        404
listSheets                   path   meeting_id                        404
getSheet                     path   meeting_id                        404
getSheet                     path   sheet_id                          404
putSheet                     path   meeting_id                        404
submitSheet                  path   meeting_id                        404
submitSheet                  path   sheet_id                          404
printSheet                   path   meeting_id                        404
printSheet                   query  sheet_id                          404
getAttendance                path   meeting_id                        404
recordAttendance             path   meeting_id                        404
recordAttendance             body   entries.member_id                 404
recordAttendance             body   entries.represented_by_member_id  404
listFines                    query  member_id                         none
listFines                    query  meeting_id                        none
getFine                      path   fine_id                           404
assessFine                   body   member_id                         404
assessFine                   body   meeting_id                        404
payFine                      path   fine_id                           404
payFine                      body   wallet_id                         404
listArrears                  query  member_id                         none
listArrears                  query  creditor_id                       none
recordCashContribution       body   member_id                         404
recordCashContribution       body   meeting_id                        404
listCashContributions        query  member_id                         none
getCashContribution          path   cash_contribution_id              404
requestDistribution          body   beneficiary_member_id             404
getDistribution              path   distribution_id                   404
requestCorrection            body   transfer_id                       404
getCorrection                path   correction_id                     404
ledger                       query  member_id                         none
statement?member_id          query  member_id                         404
approve                      body   approval_id                       404
reject                       body   approval_id                       404
propose                      body   payload.member_id                 404
propose                      body   payload.fine_id                   404
getApproval                  path   approval_id                       404
cancelApproval               path   approval_id                       404
getWebhook                   path   webhook_id                        404
changeWebhook                path   webhook_id                        404
deleteWebhook                path   webhook_id                        404
rotateWebhookSecret          path   webhook_id                        404
listWebhookDeliveries        path   webhook_id                        404
retryWebhookDelivery         path   webhook_id                        404
retryWebhookDelivery         path   delivery_id                       404
replayWebhookEvents          path   webhook_id                        404
pingWebhook                  path   webhook_id                        404
getGlobalWebhook             path   webhook_id                        404
changeGlobalWebhook          path   webhook_id                        404
deleteGlobalWebhook          path   webhook_id                        404
rotateGlobalWebhookSecret    path   webhook_id                        404
listGlobalWebhookDeliveries  path   webhook_id                        404
retryGlobalWebhookDelivery   path   webhook_id                        404
retryGlobalWebhookDelivery   path   delivery_id                       404
replayGlobalWebhookEvents    path   webhook_id                        404
pingGlobalWebhook            path   webhook_id                        404
`;

/** Operators delete the PIN of any user. */
export const ANY_USER = ['resetPin user_id'];

/** The ids of a new sheet and of its lines are the client's choice. */
export const CHOSEN_BY_CLIENTS = ['putSheet sheet_id', 'putSheet lines.line_id'];

/** What a draft names is looked at when it is submitted, so that a sheet can be kept as it was written. */
export const NAMED_BY_DRAFTS = [
  'putSheet lines.member_id',
  'putSheet lines.fine_id',
  'putSheet attendance.member_id',
  'putSheet attendance.represented_by_member_id',
];

/** Payment providers move money of any wallet, and list its transfers. */
export const ANY_WALLET = [
  { column: 'bank', operation: 'deposit' },
  { column: 'bank', operation: 'withdraw' },
  { column: 'bank', operation: 'listWalletTransfers' },
];

/** The answer to each kind of caller, by operation. */
export const EXPECTED: ReadonlyMap<string, Record<string, Answer>> = new Map(
  rowsOf(OPERATIONS)
    .slice(1)
    .map(([operation = '', ...answers]) => [
      operation,
      Object.fromEntries(COLUMNS.map((column, index) => [column, answers[index] as Answer])),
    ]),
);

/** A place where a request names an object. */
export interface NamedId {
  operation: string;
  place: 'path' | 'query' | 'body';
  field: string;
  answer: Answer;
}
export const NAMED_IDS: readonly NamedId[] = rowsOf(IDS).map(([operation, place, field, answer]) => {
  return { operation, place, field, answer } as NamedId;
});

/** Answers that say nothing about the objects that the query or body names, as they are given before. */
const BEFORE_THE_BODY: readonly Answer[] = ['404', 'role', 'no-pin'];

/** Without the scope, users do not learn which endpoints there are for all associations. */
const SCOPE_FIRST = /GlobalWebhook/;

/** Returns the answer to a caller who names an object that is not theirs to name. */
export function answerToForeignId(usual: Answer, { operation, place, answer }: NamedId): Answer {
  if (usual === 'scope' && SCOPE_FIRST.test(operation)) return usual;
  return place !== 'path' && BEFORE_THE_BODY.includes(usual) ? usual : answer;
}

function rowsOf(table: string): string[][] {
  return table
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => line.trim().split(/\s+/));
}
