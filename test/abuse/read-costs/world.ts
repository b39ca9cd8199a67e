import currencyCodes from 'currency-codes';
import type { CountedServices } from '../../harness/counted-services.ts';
import { HttpClient } from '../../harness/http.ts';
import type { Values } from './cases.ts';
import { COLLECTED, CONTRIBUTION_ID, CREDITOR, DEBTOR, FINE_ID, LONG_CYCLE } from './fill-contribution.ts';
import { PAID_OFTEN, ROTATION, ROUND, SETTLED, SHEET } from './fill-contribution.ts';
import { JOINER } from './fill-membership.ts';
import { ENDPOINT, GLOBAL_ENDPOINT } from './fill-webhooks.ts';
import { fillDatabases } from './fill.ts';
import { nthId, ROWS } from './rows.ts';

/** Wallets of the reader: more than a page has. */
const WALLETS = 20;

/** The operations that read all associations of the caller. */
const OF_JOINER = ['myAssociations', 'overview'];

/** The operations on the endpoints of all associations. */
const OF_MANAGER = /GlobalWebhook/;

export interface ReadWorld {
  /** Returns the client of the president of the filled association or, for a list of the user's own, of the user of the list. */
  readerFor(operation: string): HttpClient;
  values: Values;
}

/** Founds a filled association, and another one of the same president, and fills the databases. */
export async function makeWorld(services: CountedServices): Promise<ReadWorld> {
  const user_id = 'reader';
  const reader = new HttpClient(services.origin, services.token(user_id, { name: 'Reader' }));
  const joiner = new HttpClient(services.origin, services.token(JOINER));
  const manager = new HttpClient(services.origin, services.token(user_id, { scope: 'webhooks:manage' }));
  const [filled, empty] = [await found(reader), await found(reader)];
  const { id: wallet_id } = await reader.created('/wallets', { currency: 'KES' });
  // Codes without minor units are refused.
  await Promise.all(
    currencyCodes
      .codes()
      .slice(0, WALLETS)
      .map((currency) => reader.post('/wallets', { currency })),
  );
  // The filled association has too many members for a sheet.
  const { id: printed } = await reader.created(`/associations/${empty.id}/meetings`, {});
  const { id: invitation_id, code } = await reader.created(`/associations/${filled.id}/invitations`, {});
  const { association_id, member_id } = { association_id: filled.id, member_id: filled.member_id };
  await fillDatabases(services, { association_id, member_id, user_id, wallet_id: wallet_id as string });
  return {
    readerFor(operation) {
      if (OF_MANAGER.test(operation)) return manager;
      return OF_JOINER.includes(operation) ? joiner : reader;
    },
    values: {
      association_id: [filled.id, empty.id],
      invitation_id: [invitation_id as string],
      code: [code as string],
      meeting_id: [undefined, COLLECTED, PAID_OFTEN, ROUND, SETTLED, printed as string],
      contribution_id: [CONTRIBUTION_ID],
      distribution_id: [nthId(1)],
      correction_id: [nthId(1)],
      fine_id: [FINE_ID],
      sheet_id: [undefined, SHEET],
      webhook_id: [ENDPOINT, GLOBAL_ENDPOINT],
      cash_contribution_id: [nthId(1)],
      approval_id: [nthId(1)],
      wallet_id: [wallet_id as string],
      transfer_id: [nthId(1)],
      cycle_id: [undefined, LONG_CYCLE, ROTATION],
      member_id: [undefined, nthId(2), member_id, DEBTOR],
      creditor_id: [undefined, CREDITOR],
      // Kinds of transfers that many, one and none have.
      kind: [undefined, 'contribution', 'meeting_refund', 'cash_deposit'],
      currency: [undefined, 'XAF', 'EUR', 'GHS', 'USD'],
      q: [undefined, 'njangi', 'njangi 1', 'zzz', 'zz'],
      from: [undefined, '2024-01-02'],
      to: [undefined, '2024-01-03'],
      account: [undefined, 'cash_funding', `wallet:${wallet_id as string}`],
      at: [undefined, '2024-01-02T00:00:00Z', '2024-01-03T00:00:00Z'],
      after_seq: [undefined, String(ROWS - 1)],
    },
  };
}

async function found(founder: HttpClient): Promise<{ id: string; member_id: string }> {
  const { id, membership } = await founder.created('/associations', {
    name: 'Filled',
    type: 'tontine',
    currency: 'XAF',
    contribution_amount: 1_000,
    contribution_frequency: 'monthly',
  });
  return { id: id as string, member_id: (membership as { member_id: string }).member_id };
}
