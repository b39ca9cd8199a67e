import { invalid } from './world.ts';
import type { BadRequest, World } from './world.ts';

/** PINs and wallets. */
export async function pinsAndWallets(w: World): Promise<BadRequest[]> {
  const [, , secretary, plain] = w.group.members;
  return [
    // PINs and wallets
    ...invalid('pinless', 'PUT /me/pin', [
      ['no PIN', {}, '/pin'],
      ['a number for a PIN', { pin: 1234 }, '/pin'],
    ]),
    {
      rule: 'a plain PIN',
      as: 'pinless',
      send: 'PUT /me/pin',
      body: { pin: '1234' },
      status: 403,
      code: 'pin_unreadable',
    },
    {
      rule: 'a PIN of three digits',
      as: 'pinless',
      send: 'PUT /me/pin',
      body: { pin: await w.pinless.sealedPin('123') },
      status: 403,
      code: 'pin_invalid',
    },
    {
      rule: 'a PIN of letters',
      as: 'pinless',
      send: 'PUT /me/pin',
      body: { pin: await w.pinless.sealedPin('abcd') },
      status: 403,
      code: 'pin_invalid',
    },
    ...invalid('member', 'PUT /me/pin', [
      ['a new PIN without the current one', { pin: await w.member.sealedPin() }, '/current_pin'],
    ]),
    {
      rule: 'resetting a PIN without the scope',
      as: 'member',
      send: 'DELETE /users/another-user/pin',
      status: 403,
      code: 'insufficient_scope',
    },
    ...invalid('member', 'POST /wallets', [['no currency', {}, '/currency']]),
    {
      rule: "another's wallet",
      as: 'member',
      send: `GET /wallets/${secretary!.wallet_id}`,
      status: 404,
      code: 'not_found',
    },
    { rule: 'a wallet that does not exist', as: 'member', send: 'GET /wallets/none', status: 404, code: 'not_found' },
    {
      rule: 'funding without the scope',
      as: 'member',
      send: `POST /wallets/${plain!.wallet_id}/deposits`,
      body: { amount: 5, reference: 'r' },
      status: 403,
      code: 'insufficient_scope',
    },
    ...invalid('bank', `POST /wallets/${plain!.wallet_id}/deposits`, [
      ['no reference', { amount: 5 }, '/reference'],
      ['an empty reference', { amount: 5, reference: ' ' }, '/reference'],
    ]),
    {
      rule: 'a deposit of half a franc',
      as: 'bank',
      send: `POST /wallets/${plain!.wallet_id}/deposits`,
      body: { amount: 0.5, reference: 'half' },
      status: 422,
      code: 'amount_precision',
    },
    {
      rule: 'a reference for another amount',
      as: 'bank',
      send: `POST /wallets/${plain!.wallet_id}/deposits`,
      body: { amount: 7, reference: 'opening' },
      status: 409,
      code: 'reference_reused',
    },
    {
      rule: 'a withdrawal of more than there is',
      as: 'bank',
      send: `POST /wallets/${plain!.wallet_id}/withdrawals`,
      body: { amount: 99_999_999, reference: 'all' },
      status: 409,
      code: 'insufficient_funds',
    },
  ];
}
