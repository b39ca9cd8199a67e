import type { Operation } from '../../harness/api-document.ts';
import type { HttpAnswer, Json } from '../../harness/http.ts';
import { today } from '../../harness/requests.ts';
import { keyOf, pathOf } from '../../e2e/conformance/walk.ts';
import { SELDOM } from '../../e2e/conformance/webhooks.ts';
import type { NamedId } from './expected.ts';
import type { Caller } from './world.ts';

export type Ids = Record<string, string>;

/** A request of the matrix, before the caller's PIN is sealed for it. */
export interface Wanted {
  /** The operation, as the table names it. */
  row: string;
  operation: Operation;
  caller: Caller;
  /** The values of the path's parameters, and of the member that the request is about. */
  ids: Ids;
  /** The id that replaces the usual one. */
  named?: Pick<NamedId, 'place' | 'field'> & { id: string };
}

export type Seal = () => Promise<string>;
type Body = (ids: Ids, caller: Caller, seal: Seal) => Json | Promise<Json>;

/** A valid body of each write that has one. */
const BODIES: Record<string, Body> = {
  createAssociation: () => ({
    name: 'Matrix',
    type: 'tontine',
    currency: 'XAF',
    contribution_amount: 1_000,
    contribution_frequency: 'monthly',
  }),
  changeAssociation: () => ({ name: 'Changed' }),
  join: () => ({}),
  createInvitation: () => ({}),
  acceptInvitation: () => ({}),
  changeOwnMembership: async (_ids, { wallet_id }, seal) => ({ payout_wallet_id: wallet_id, pin: await seal() }),
  setPin: async (_ids, { hasPin }, seal) => ({
    pin: await seal(),
    ...(hasPin ? { current_pin: await seal() } : {}),
  }),
  openOwnWallet: () => ({ currency: 'XAF' }),
  deposit: () => ({ amount: 5, reference: 'matrix in' }),
  withdraw: () => ({ amount: 5, reference: 'matrix out' }),
  startCycle: () => ({ starts_on: today(), order: 'join' }),
  scheduleMeeting: () => ({}),
  changeMeeting: () => ({ title: 'Another' }),
  contribute: async (_ids, { wallet_id }, seal) => ({ wallet_id, amount: 100, pin: await seal() }),
  settle: () => ({}),
  putSheet: () => ({ lines: [], counted_cash: 0 }),
  submitSheet: async ({ sheet_hash = '' }, _caller, seal) => ({ sheet_hash, pin: await seal() }),
  recordAttendance: ({ member_id }) => ({ entries: [{ member_id, status: 'present' }] }),
  assessFine: ({ member_id }) => ({ member_id, code: 'phone', reason: 'It rang' }),
  payFine: async (_ids, { wallet_id }, seal) => ({ wallet_id, amount: 1, pin: await seal() }),
  recordCashContribution: async ({ member_id }, _caller, seal) => ({
    member_id,
    amount: 100,
    reason: 'Cash',
    pin: await seal(),
  }),
  requestDistribution: ({ member_id }) => ({ beneficiary_member_id: member_id, amount: 100, reason: 'Help' }),
  requestCorrection: async ({ transfer_id }, _caller, seal) => ({ transfer_id, reason: 'Twice', pin: await seal() }),
  approve: async ({ approval_id }, _caller, seal) => ({ approval_id, pin: await seal() }),
  reject: async ({ approval_id }, _caller, seal) => ({ approval_id, pin: await seal() }),
  propose: () => ({ type: 'motion', title: 'A motion', payload: { text: 'We meet at the school.' } }),
  ...ofEndpoints('Webhook'),
  ...ofEndpoints('GlobalWebhook'),
  changePreferences: () => ({ language: 'fr', quiet_hours: { from: '21:00', to: '07:00' } }),
  confirmAddress: () => ({ channel: 'email', code: '123456' }),
};

function ofEndpoints(noun: string): Record<string, Body> {
  return {
    [`create${noun}`]: () => SELDOM,
    [`change${noun}`]: () => ({ description: 'Changed' }),
    [`replay${noun}Events`]: () => ({ from: '2026-01-01T00:00:00Z' }),
  };
}

/** The members of the body that name an id, where that is not a member with the name of the field. */
const NAMING: Record<string, (id: string, ids: Ids) => Json> = {
  member_order: (id) => ({ order: 'manual', member_order: [id] }),
  'entries.member_id': (member_id) => ({ entries: [{ member_id, status: 'present' }] }),
  'entries.represented_by_member_id': (represented_by_member_id, { member_id }) => ({
    entries: [{ member_id, status: 'represented', represented_by_member_id }],
  }),
  'payload.fine_id': (fine_id) => ({ type: 'fine_waiver', payload: { fine_id } }),
  'payload.member_id': (member_id) => ({ type: 'expulsion', payload: { member_id } }),
};

/** Returns the body of a request, with its PIN sealed; undefined if the operation has none. */
export async function bodyOf({ operation, caller, ids, named }: Wanted, seal: Seal): Promise<Json | undefined> {
  const usual = await BODIES[operation.id]?.(ids, caller, seal);
  if (usual === undefined || named?.place !== 'body') return usual;
  return { ...usual, ...(NAMING[named.field]?.(named.id, ids) ?? { [named.field]: named.id }) };
}

/** Sends a request of the matrix. */
export async function sendWanted(wanted: Wanted, seal: Seal): Promise<HttpAnswer> {
  const { row, operation, caller, ids, named } = wanted;
  const inPath = named?.place === 'path' ? { ...ids, [keyOf(operation.path, named.field)]: named.id } : ids;
  const usualQuery = row.endsWith('?member_id') ? { member_id: ids.member_id ?? '' } : {};
  const query = new URLSearchParams(named?.place === 'query' ? { [named.field]: named.id } : usualQuery).toString();
  const path = `${pathOf(operation, inPath)}${query === '' ? '' : `?${query}`}`;
  return caller.http.send(operation.method, path, await bodyOf(wanted, seal));
}
