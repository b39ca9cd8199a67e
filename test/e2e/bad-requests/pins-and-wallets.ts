import { invalid, refused, type BadRequest, type World } from './world.ts';

/** Returns bad requests about PINs and wallets. */
export async function pinsAndWallets(w: World): Promise<BadRequest[]> {
  const [, , secretary, plain] = w.group.members;
  return [
    // PINs and wallets
    ...invalid('pinless', 'PUT /me/pin', [
      ['no PIN', {}, '/pin'],
      ['a PIN that is a number', { pin: 1234 }, '/pin'],
    ]),
    ...refused([
      ['a plain PIN', 'pinless', 'PUT /me/pin', '403 pin_unreadable', { pin: '1234' }],
      ['a PIN of three digits', 'pinless', 'PUT /me/pin', '403 pin_invalid', { pin: await w.pinless.sealedPin('123') }],
      ['a PIN of letters', 'pinless', 'PUT /me/pin', '403 pin_invalid', { pin: await w.pinless.sealedPin('abcd') }],
    ]),
    ...invalid('member', 'PUT /me/pin', [
      ['a new PIN without the current one', { pin: await w.member.sealedPin() }, '/current_pin'],
    ]),
    ...refused([
      ['resetting a PIN without the scope', 'member', 'DELETE /users/another-user/pin', '403 insufficient_scope'],
    ]),
    ...invalid('member', 'POST /wallets', [['no currency', {}, '/currency']]),
    ...refused([
      ["another user's wallet", 'member', `GET /wallets/${secretary!.wallet_id}`, '404 not_found'],
      ['a wallet that does not exist', 'member', 'GET /wallets/none', '404 not_found'],
      [
        'funding without the scope',
        'member',
        `POST /wallets/${plain!.wallet_id}/deposits`,
        '403 insufficient_scope',
        { amount: 5, reference: 'r' },
      ],
    ]),
    ...invalid('bank', `POST /wallets/${plain!.wallet_id}/deposits`, [
      ['no reference', { amount: 5 }, '/reference'],
      ['an empty reference', { amount: 5, reference: ' ' }, '/reference'],
    ]),
    ...refused([
      [
        'a deposit of half a franc',
        'bank',
        `POST /wallets/${plain!.wallet_id}/deposits`,
        '422 amount_precision',
        { amount: 0.5, reference: 'half' },
      ],
      [
        'a used reference with another amount',
        'bank',
        `POST /wallets/${plain!.wallet_id}/deposits`,
        '409 reference_reused',
        { amount: 7, reference: 'opening' },
      ],
      [
        'a withdrawal above the balance',
        'bank',
        `POST /wallets/${plain!.wallet_id}/withdrawals`,
        '409 insufficient_funds',
        { amount: 99_999_999, reference: 'all' },
      ],
    ]),
  ];
}
