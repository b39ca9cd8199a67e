import { invalid, MISSING } from './world.ts';
import type { BadRequest, World } from './world.ts';

/** Cycles, meetings, contributions, settlement. */
export async function meetings(w: World): Promise<BadRequest[]> {
  const { path, members } = w.group;
  const [, , secretary, plain] = members;
  const contribute = `POST ${path}/meetings/${w.meeting}/contribute`;
  const own = { wallet_id: plain!.wallet_id, amount: 1000 };
  return [
    // Cycles and meetings
    {
      rule: 'a cycle by a plain member',
      as: 'member',
      send: `POST ${path}/cycles`,
      body: { starts_on: '2026-01-01', order: 'join' },
      status: 403,
      code: 'role_not_allowed',
    },
    {
      rule: 'a second cycle',
      as: 'president',
      send: `POST ${path}/cycles`,
      body: { starts_on: '2026-01-01', order: 'join' },
      status: 409,
      code: 'cycle_in_progress',
    },
    ...invalid('president', `POST ${path}/cycles`, [
      ['no order', { starts_on: '2026-01-01' }, '/order'],
      ['a day that does not exist', { starts_on: '2026-02-30', order: 'join' }, '/starts_on'],
      ['an instant for a day', { starts_on: '2026-01-01T00:00:00Z', order: 'join' }, '/starts_on'],
      ['manual without an order', { starts_on: '2026-01-01', order: 'manual' }, '/member_order'],
    ]),
    {
      rule: 'a cycle that does not exist',
      as: 'member',
      send: `GET ${path}/cycles/${MISSING}`,
      status: 404,
      code: 'not_found',
    },
    {
      rule: 'a meeting that does not exist',
      as: 'member',
      send: `GET ${path}/meetings/${MISSING}`,
      status: 404,
      code: 'not_found',
    },
    ...invalid('president', `POST ${path}/meetings`, [
      ['a title of 201 code points', { title: 'x'.repeat(201) }, '/title'],
    ]),

    // Contributions
    ...invalid('member', contribute, [
      ['nothing', {}, '/wallet_id', '/amount', '/pin'],
      ['an amount of zero', { ...own, amount: 0, pin: 'x' }, '/amount'],
      ['a PIN that is an object', { ...own, pin: {} }, '/pin'],
      ['a wallet that is a number', { ...own, wallet_id: 5, pin: 'x' }, '/wallet_id'],
      ['an unknown field', { ...own, pin: 'x', currency: 'XAF' }, '/currency'],
    ]),
    {
      rule: 'half a franc',
      as: 'member',
      send: contribute,
      body: { ...own, amount: 0.5, pin: 'x' },
      status: 422,
      code: 'amount_precision',
    },
    {
      rule: 'more digits than a number holds',
      as: 'member',
      send: contribute,
      body: `{"wallet_id":"w","amount":1000.00000000000000001,"pin":"x"}`,
      status: 422,
      code: 'amount_precision',
    },
    {
      rule: 'a meeting of nowhere',
      as: 'member',
      send: `POST ${path}/meetings/${MISSING}/contribute`,
      body: { ...own, pin: 'x' },
      status: 404,
      code: 'not_found',
    },
    {
      rule: "another group's meeting",
      as: 'outsider',
      send: contribute,
      body: { ...own, pin: 'x' },
      status: 404,
      code: 'not_found',
    },
    {
      rule: 'a PIN that is no ciphertext',
      as: 'member',
      send: contribute,
      body: { ...own, pin: 'aGVsbG8=' },
      status: 403,
      code: 'pin_unreadable',
    },
    {
      rule: 'a wrong PIN',
      as: 'member',
      send: contribute,
      body: { ...own, pin: await w.member.sealedPin('9999') },
      status: 403,
      code: 'pin_invalid',
    },
    {
      rule: 'no PIN set',
      as: 'pinless',
      send: contribute,
      body: { wallet_id: w.pinlessWallet, amount: 1000, pin: await w.pinless.sealedPin() },
      status: 409,
      code: 'pin_not_set',
    },
    {
      rule: 'more than is due',
      as: 'secretary',
      send: contribute,
      body: { wallet_id: secretary!.wallet_id, amount: 1001, pin: await w.secretary.sealedPin() },
      status: 409,
      code: 'contribution_exceeds_due',
    },
    {
      rule: "another's wallet to pay from",
      as: 'secretary',
      send: contribute,
      body: { wallet_id: plain!.wallet_id, amount: 1000, pin: await w.secretary.sealedPin() },
      status: 404,
      code: 'not_found',
    },
    {
      rule: 'a wallet in euro',
      as: 'secretary',
      send: contribute,
      body: { wallet_id: w.euroWallet, amount: 1000, pin: await w.secretary.sealedPin() },
      status: 422,
      code: 'wallet_currency_mismatch',
    },
    {
      rule: 'for a user who is not a member',
      as: 'secretary',
      send: contribute,
      body: {
        wallet_id: secretary!.wallet_id,
        amount: 1000,
        for_member_id: MISSING,
        pin: await w.secretary.sealedPin(),
      },
      status: 404,
      code: 'not_found',
    },
    {
      rule: 'a contribution that does not exist',
      as: 'member',
      send: `GET ${path}/meetings/${w.meeting}/contributions/${MISSING}`,
      status: 404,
      code: 'not_found',
    },

    // Settlement
    {
      rule: 'settling as secretary',
      as: 'secretary',
      send: `POST ${path}/meetings/${w.meeting}/settle`,
      status: 403,
      code: 'role_not_allowed',
    },
    {
      rule: 'settling as a plain member',
      as: 'member',
      send: `POST ${path}/meetings/${w.meeting}/settle`,
      status: 403,
      code: 'role_not_allowed',
    },
    {
      rule: 'settling before its day with dues unpaid',
      as: 'treasurer',
      send: `POST ${path}/meetings/${w.meeting}/settle`,
      status: 409,
      code: 'meeting_not_due',
    },
    {
      rule: 'settling the second round first',
      as: 'treasurer',
      send: `POST ${path}/meetings/${w.secondMeeting}/settle`,
      status: 409,
      code: 'earlier_round_open',
    },
    {
      rule: 'a settlement that has not been',
      as: 'member',
      send: `GET ${path}/meetings/${w.meeting}/settlement`,
      status: 404,
      code: 'not_found',
    },
  ];
}
