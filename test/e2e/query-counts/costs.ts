import { operationIdOf } from '../../../services/gateway/openapi/operation.rules.ts';
import { ROUTES } from '../../../services/gateway/routes.ts';

/**
 * The cost of each operation, regardless of the size of the group or the list: the statements of each service,
 * including `BEGIN` and `COMMIT`, and the calls of actions, including those of the gateway. A posting is one statement
 * if the treasury has the chain in its cache, and eight statements in two round trips otherwise. The statements of a
 * settlement or its preview in `contribution` share a few round trips; nearly all other statements are one round trip.
 *
 * A key is the operation id, followed by a comma and the case. Change a number here if a change of the cost is
 * intended. The usual cost of a read in an association is not listed (see usualCost).
 */
export const COSTS: Record<string, string> = {
  // Associations
  createAssociation: 'membership 5, treasury 1; calls 2',
  myAssociations: 'membership 1; calls 1',
  listPublicAssociations: 'membership 1; calls 1',
  overview: 'membership 1, contribution 1, treasury 1, governance 1; calls 4',

  // Members
  getAssociation: 'membership 1; calls 1',
  changeAssociation: 'membership 6; calls 1',
  join: 'membership 9, treasury 3; calls 2',
  createInvitation: 'membership 5; calls 1',
  getInvitation: 'membership 2; calls 1',
  listInvitations: 'membership 2; calls 1',
  previewInvitation: 'membership 1; calls 1',
  withdrawInvitation: 'membership 7; calls 1',
  acceptInvitation: 'membership 11, treasury 3; calls 2',
  'changeOwnMembership, name': 'membership 6; calls 1',
  'changeOwnMembership, hands': 'membership 9; calls 1',
  'changeOwnMembership, payout wallet': 'membership 7, treasury 1; calls 2',
  leave: 'membership 18, contribution 8, treasury 6; calls 6',

  // PINs
  pinKeys: 'nothing; calls 1',
  pinState: 'membership 1; calls 1',
  'setPin, first': 'membership 7; calls 1',
  'setPin, another': 'membership 6; calls 1',
  resetPin: 'membership 4; calls 1',

  // Wallets
  'openOwnWallet, a new one': 'treasury 5; calls 1',
  'openOwnWallet, an existing one': 'treasury 3; calls 1',
  myWallets: 'treasury 1; calls 1',
  getWallet: 'treasury 1; calls 1',
  listWalletTransfers: 'treasury 3; calls 1',
  getWalletTransfer: 'treasury 2; calls 1',
  deposit: 'treasury 13; calls 1',
  withdraw: 'treasury 6; calls 1',

  // A rotation
  startCycle: 'membership 10, contribution 16; calls 3',
  getCycle: 'membership 1, contribution 2; calls 2',
  changeMeeting: 'membership 1, contribution 7; calls 2',
  'contribute, with a key': 'membership 3, contribution 7, treasury 1; calls 4',
  'contribute, repeated': 'contribution 2; calls 1',
  contribute: 'membership 2, contribution 3, treasury 1; calls 3',
  previewSettlement: 'membership 2, contribution 7; calls 2',
  settle: 'membership 2, contribution 14, treasury 1; calls 3',
  'contribute, arrears': 'membership 3, contribution 16, treasury 1; calls 3',
  'previewSettlement, with arrears': 'membership 2, contribution 9; calls 2',
  'settle, with arrears': 'membership 2, contribution 19, treasury 1; calls 3',

  // Savings
  listCycles: 'membership 1, contribution 2; calls 2',
  'previewSettlement, last of savings': 'membership 2, contribution 8; calls 2',
  'settle, last of savings': 'membership 2, contribution 13, treasury 1; calls 3',
  'balances, of savings at an instant': 'membership 1, contribution 1, treasury 5; calls 3',

  // Meetings outside cycles, cash, distributions, corrections, ledger and statement
  scheduleMeeting: 'membership 1, contribution 6; calls 2',
  'settle, outside a cycle': 'membership 1, contribution 12, treasury 2; calls 3',
  cancelMeeting: 'membership 1, contribution 18, treasury 1; calls 3',
  recordCashContribution: 'membership 7, treasury 9, governance 7; calls 6',
  'recordCashContribution, for a meeting': 'membership 7, contribution 5, treasury 12, governance 7; calls 7',
  'approve, cash': 'membership 4, treasury 9, governance 16; calls 4',
  'approve, cash for a meeting': 'membership 4, contribution 3, treasury 13, governance 16; calls 5',
  'reject, cash': 'membership 4, treasury 5, governance 15; calls 4',
  requestDistribution: 'membership 6, treasury 14, governance 7; calls 6',
  'approve, not the last': 'membership 4, governance 8; calls 3',
  'approve, a distribution': 'membership 4, treasury 9, governance 16; calls 4',
  requestCorrection: 'membership 7, contribution 2, treasury 10, governance 7; calls 7',
  'approve, a correction': 'membership 4, contribution 13, treasury 18, governance 16; calls 6',
  cancelApproval: 'membership 1, treasury 9, governance 13; calls 3',
  'balances, of an instant': 'membership 1, treasury 4; calls 2',
  'ledger, of an account': 'membership 1, treasury 2; calls 2',
  ledgerExport: 'membership 2, treasury 2; calls 4',
  statement: 'membership 1, contribution 3, treasury 2; calls 3',
  'statement, of another': 'membership 3, contribution 3, treasury 3; calls 4',

  // Sheets, attendance and fines
  listSheets: 'membership 1, contribution 2; calls 2',
  putSheet: 'membership 1, contribution 7, treasury 1; calls 3',
  'putSheet, the same again': 'membership 1, contribution 6, treasury 1; calls 3',
  submitSheet: 'membership 7, contribution 18, treasury 1, governance 7; calls 7',
  'approve, a sheet': 'membership 4, contribution 13, treasury 2, governance 16; calls 5',
  'reject, a sheet': 'membership 4, contribution 9, governance 15; calls 4',
  printSheet: 'membership 4, contribution 4; calls 3',
  getAttendance: 'membership 1, contribution 2; calls 2',
  recordAttendance: 'membership 2, contribution 7; calls 2',
  assessFine: 'membership 2, contribution 6; calls 2',
  payFine: 'membership 2, contribution 12, treasury 1; calls 3',
  'propose, fine_waiver': 'membership 3, contribution 1, governance 8; calls 4',
  'approve, fine_waiver': 'membership 4, contribution 6, governance 16; calls 4',

  // Proposals, and the votes that decide them
  'propose, motion': 'membership 3, governance 8; calls 3',
  'approve, motion': 'membership 4, governance 9; calls 3',
  'propose, rules_change': 'membership 6, governance 8; calls 4',
  'approve, rules_change': 'membership 11, governance 16; calls 4',
  'propose, role_change': 'membership 9, governance 8; calls 4',
  'approve, role_change': 'membership 13, governance 16; calls 4',
  'propose, expulsion': 'membership 10, treasury 1, governance 8; calls 5',
  'approve, expulsion': 'membership 22, contribution 7, treasury 5, governance 16; calls 7',
  'propose, closure': 'membership 6, contribution 4, treasury 4, governance 9; calls 6',
  'approve, closure': 'membership 17, contribution 9, treasury 9, governance 25; calls 8',

  // Webhooks, and those of all associations
  createWebhook: 'membership 1, webhooks 6; calls 2',
  listWebhooks: 'membership 1, webhooks 1; calls 2',
  getWebhook: 'membership 1, webhooks 1; calls 2',
  changeWebhook: 'membership 1, webhooks 5; calls 2',
  'changeWebhook, disabled': 'membership 1, webhooks 6; calls 2',
  'changeWebhook, enabled': 'membership 1, webhooks 5; calls 2',
  deleteWebhook: 'membership 1, webhooks 5; calls 2',
  rotateWebhookSecret: 'membership 1, webhooks 5; calls 2',
  listWebhookDeliveries: 'membership 1, webhooks 2; calls 2',
  'listWebhookDeliveries, by status': 'membership 1, webhooks 2; calls 2',
  retryWebhookDelivery: 'membership 1, webhooks 7; calls 2',
  replayWebhookEvents: 'membership 1, webhooks 7; calls 2',
  pingWebhook: 'membership 1, webhooks 8; calls 2',
  createGlobalWebhook: 'webhooks 6; calls 1',
  listGlobalWebhooks: 'webhooks 1; calls 1',
  getGlobalWebhook: 'webhooks 1; calls 1',
  changeGlobalWebhook: 'webhooks 5; calls 1',
  'changeGlobalWebhook, disabled': 'webhooks 6; calls 1',
  'changeGlobalWebhook, enabled': 'webhooks 5; calls 1',
  deleteGlobalWebhook: 'webhooks 5; calls 1',
  rotateGlobalWebhookSecret: 'webhooks 5; calls 1',
  listGlobalWebhookDeliveries: 'webhooks 2; calls 1',
  'listGlobalWebhookDeliveries, by status': 'webhooks 2; calls 1',
  retryGlobalWebhookDelivery: 'webhooks 7; calls 1',
  replayGlobalWebhookEvents: 'webhooks 7; calls 1',
  pingGlobalWebhook: 'webhooks 8; calls 1',

  // What the caller is told
  getPreferences: 'reminders 2; calls 1',
  'changePreferences, language': 'reminders 9; calls 1',
  'changePreferences, quiet hours': 'reminders 10; calls 1',
  'changePreferences, a new address': 'reminders 14; calls 1',
  'changePreferences, another address': 'reminders 14; calls 1',
  'changePreferences, no address': 'reminders 12; calls 1',
  confirmAddress: 'reminders 8; calls 1',
  listSent: 'reminders 1; calls 1',
};

const READS = new Map(
  ROUTES.filter(({ endpoint }) => endpoint.permission === 'read').map(({ endpoint }) => [
    operationIdOf(endpoint.name),
    endpoint.name.split('.')[0],
  ]),
);

/**
 * Returns the cost of a read in an association: one statement, and one in membership for the caller's role; a read of
 * membership needs only one. Undefined for other operations.
 * @param name as in `COSTS`
 */
export function usualCost(name: string): string | undefined {
  const service = READS.get(name.split(',')[0] ?? '');
  if (service === undefined) return undefined;
  return service === 'membership' ? 'membership 1; calls 1' : `membership 1, ${service} 1; calls 2`;
}
