/** Operations on associations, members, PINs and wallets. */
import currencyCodes from 'currency-codes';
import { foundGroup } from '../../harness/group.ts';
import type { HttpClient, Json } from '../../harness/http.ts';
import type { TestMember } from '../../harness/test-member.ts';
import type { Meter } from './meter.ts';

const ASSOCIATION = {
  type: 'tontine',
  currency: 'XAF',
  contribution_amount: 1_000,
  contribution_frequency: 'monthly',
  is_public: true,
};

/** Measures a founder with as many associations as the meter's size. */
export async function measureAssociations(meter: Meter): Promise<void> {
  const word = `several${String(meter.size)}`;
  const founder = meter.client(`founder-of-${word}`, { name: 'Founder' });
  const names = Array.from({ length: meter.size }, (_, index) => `${word} ${String(index)}`);
  await Promise.all(names.map((name) => founder.created('/associations', { ...ASSOCIATION, name })));
  await meter.post('createAssociation', founder, '/associations', { ...ASSOCIATION, name: word });
  await meter.get('myAssociations', founder, '/associations/my');
  await meter.get('listPublicAssociations', founder, `/associations?q=${word}`);
}

/** Measures the president of as many associations as the meter's size, with dues, a turn and a vote to cast in each. */
export async function measureOverview(meter: Meter): Promise<void> {
  const word = `busy${String(meter.size)}`;
  const president = meter.client(`president-of-${word}`);
  const secretary = meter.client(`secretary-of-${word}`);
  const propose = (by: HttpClient, path: string, type: string, payload: Json) =>
    by.created(`${path}/governance/proposals`, { type, title: 'A change', payload });
  const names = Array.from({ length: meter.size }, (_, index) => `${word} ${String(index)}`);
  await Promise.all(
    names.map(async (name) => {
      const { id } = await president.created('/associations', { ...ASSOCIATION, name });
      const path = `/associations/${id as string}`;
      const { id: member_id } = await secretary.created(`${path}/join`, {});
      await propose(president, path, 'role_change', { member_id, role: 'secretary' });
      await propose(secretary, path, 'motion', { text: 'We sing.' });
      await president.created(`${path}/cycles`, { starts_on: '2026-01-31', order: 'join' });
    }),
  );
  const { associations } = await meter.get('overview', president, '/me/overview');
  const complete = (associations as Json[]).filter(
    ({ dues, next_turn, approvals }) => [dues, approvals].every((list) => (list as Json[]).length > 0) && next_turn,
  );
  if (complete.length < meter.size) throw new Error(`${String(complete.length)} associations have all figures`);
}

/** Measures a group that users join and leave. */
export async function measureMembers(meter: Meter): Promise<void> {
  const group = await foundGroup(meter.services, { size: meter.size, roles: ['president', 'treasurer'] });
  const { path } = group;
  const [president, treasurer, member] = group.members as [TestMember, TestMember, TestMember];
  await meter.get('getAssociation', member.http, path);
  await meter.send('changeAssociation', president.http, 'PATCH', path, { description: 'Changed' });
  await meter.get('listMembers', member.http, `${path}/members`);
  await meter.get('getOwnMembership', member.http, `${path}/members/me`);

  const [first, second] = ['joiner', 'guest'].map((who) => meter.client(`${who}-${group.id}`, { name: who }));
  await meter.post('join', first!, `${path}/join`);
  const { code, id: invitation_id } = await meter.post('createInvitation', president.http, `${path}/invitations`);
  const invitations = Array.from({ length: meter.size }, () => president.http.created(`${path}/invitations`, {}));
  const [unwanted] = await Promise.all(invitations);
  await meter.get('getInvitation', president.http, `${path}/invitations/${invitation_id as string}`);
  await meter.get('listInvitations', president.http, `${path}/invitations`);
  await meter.get('previewInvitation', second!, `/invitations/${code as string}`);
  const withdrawn = `${path}/invitations/${unwanted!.id as string}`;
  await meter.send('withdrawInvitation', president.http, 'DELETE', withdrawn);
  await meter.post('acceptInvitation', second!, `/invitations/${code as string}/accept`);
  const own = `${path}/members/me`;
  await meter.send('changeOwnMembership, name', first!, 'PATCH', own, { display_name: 'New' });
  await meter.send('changeOwnMembership, hands', first!, 'PATCH', own, { hands: 2 });
  const { wallet_id: payout_wallet_id } = treasurer;
  const wallet = { payout_wallet_id, pin: await treasurer.http.sealedPin() };
  await meter.send('changeOwnMembership, payout wallet', treasurer.http, 'PATCH', own, wallet);
  await meter.send('leave', first!, 'DELETE', own);
}

export async function measurePins(meter: Meter): Promise<void> {
  const user = `pin-${String(meter.size)}`;
  const person = meter.client(user);
  const support = meter.client('support', { scope: 'pins:reset' });
  await meter.get('pinKeys', person, '/keys/pin');
  await meter.get('pinState', person, '/me/pin');
  await meter.send('setPin, first', person, 'PUT', '/me/pin', { pin: await person.sealedPin() });
  const change = { pin: await person.sealedPin(), current_pin: await person.sealedPin() };
  await meter.send('setPin, another', person, 'PUT', '/me/pin', change);
  await meter.send('resetPin', support, 'DELETE', `/users/${user}/pin`);
}

/** Measures a user with as many wallets as the meter's size. */
export async function measureWallets(meter: Meter): Promise<void> {
  const person = meter.client(`rich-${String(meter.size)}`);
  const bank = meter.client('the-bank', { scope: 'wallets:fund' });
  const { id } = await person.created('/wallets', { currency: 'XAF' });
  // Codes of the standard without minor units are refused; the measurement does not depend on them.
  const codes = currencyCodes.codes().slice(0, meter.size);
  await Promise.all(codes.map((currency) => person.post('/wallets', { currency })));
  await meter.post('openOwnWallet, a new one', person, '/wallets', { currency: 'ZMW' });
  await meter.post('openOwnWallet, an existing one', person, '/wallets', { currency: 'XAF' });
  await meter.get('myWallets', person, '/wallets/my');
  await meter.get('getWallet', person, `/wallets/${id as string}`);
  const body = { amount: 500, reference: 'in' };
  const deposit = await meter.post('deposit', bank, `/wallets/${id as string}/deposits`, body);
  for (let index = 1; index < meter.size; index += 1) {
    await bank.created(`/wallets/${id as string}/deposits`, { amount: 1, reference: `in ${String(index)}` });
  }
  await meter.get('listWalletTransfers', person, `/wallets/${id as string}/transfers`);
  await meter.get('getWalletTransfer', bank, `/wallets/${id as string}/transfers/${deposit.id as string}`);
  await meter.post('withdraw', bank, `/wallets/${id as string}/withdrawals`, { ...body, amount: 5 });
}
