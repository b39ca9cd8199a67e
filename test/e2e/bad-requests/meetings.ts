import { invalid, MISSING, refused, type BadRequest, type World } from './world.ts';

/** Returns bad requests about cycles, meetings, contributions and settlement. */
export async function meetings(w: World): Promise<BadRequest[]> {
  const { path, members } = w.group;
  const [, , secretary, plain] = members;
  const contribute = `POST ${path}/meetings/${w.meeting}/contribute`;
  const own = { wallet_id: plain!.wallet_id, amount: 1000 };
  return [
    // Cycles and meetings
    ...refused([
      [
        'a cycle by a plain member',
        'member',
        `POST ${path}/cycles`,
        '403 role_not_allowed',
        { starts_on: '2026-01-01', order: 'join' },
      ],
      [
        'a second cycle',
        'president',
        `POST ${path}/cycles`,
        '409 cycle_in_progress',
        { starts_on: '2026-01-01', order: 'join' },
      ],
    ]),
    ...invalid('president', `POST ${path}/cycles`, [
      ['no order', { starts_on: '2026-01-01' }, '/order'],
      ['a day that does not exist', { starts_on: '2026-02-30', order: 'join' }, '/starts_on'],
      ['an instant instead of a day', { starts_on: '2026-01-01T00:00:00Z', order: 'join' }, '/starts_on'],
      ['manual without an order', { starts_on: '2026-01-01', order: 'manual' }, '/member_order'],
    ]),
    ...refused([
      ['a cycle that does not exist', 'member', `GET ${path}/cycles/${MISSING}`, '404 not_found'],
      ['a meeting that does not exist', 'member', `GET ${path}/meetings/${MISSING}`, '404 not_found'],
    ]),
    ...invalid('president', `POST ${path}/meetings`, [
      ['a title of 201 code points', { title: 'x'.repeat(201) }, '/title'],
    ]),

    // Contributions
    ...invalid('member', contribute, [
      ['an empty body', {}, '/wallet_id', '/amount', '/pin'],
      ['an amount of zero', { ...own, amount: 0, pin: 'x' }, '/amount'],
      ['a PIN that is an object', { ...own, pin: {} }, '/pin'],
      ['a wallet that is a number', { ...own, wallet_id: 5, pin: 'x' }, '/wallet_id'],
      ['an unknown field', { ...own, pin: 'x', currency: 'XAF' }, '/currency'],
    ]),
    ...refused([
      ['half a franc', 'member', contribute, '422 amount_precision', { ...own, amount: 0.5, pin: 'x' }],
      [
        'more digits than a double can hold',
        'member',
        contribute,
        '422 amount_precision',
        `{"wallet_id":"w","amount":1000.00000000000000001,"pin":"x"}`,
      ],
      [
        'contributing to a meeting that does not exist',
        'member',
        `POST ${path}/meetings/${MISSING}/contribute`,
        '404 not_found',
        { ...own, pin: 'x' },
      ],
      ["another group's meeting", 'outsider', contribute, '404 not_found', { ...own, pin: 'x' }],
      ['a PIN that is not a ciphertext', 'member', contribute, '403 pin_unreadable', { ...own, pin: 'aGVsbG8=' }],
      ['a wrong PIN', 'member', contribute, '403 pin_invalid', { ...own, pin: await w.member.sealedPin('9999') }],
      [
        'no PIN set',
        'pinless',
        contribute,
        '409 pin_not_set',
        { wallet_id: w.pinlessWallet, amount: 1000, pin: await w.pinless.sealedPin() },
      ],
      [
        'more than is due',
        'secretary',
        contribute,
        '409 contribution_exceeds_due',
        { wallet_id: secretary!.wallet_id, amount: 1001, pin: await w.secretary.sealedPin() },
      ],
      [
        "paying from another member's wallet",
        'secretary',
        contribute,
        '404 not_found',
        { wallet_id: plain!.wallet_id, amount: 1000, pin: await w.secretary.sealedPin() },
      ],
      [
        'a wallet in euro',
        'secretary',
        contribute,
        '422 wallet_currency_mismatch',
        { wallet_id: w.euroWallet, amount: 1000, pin: await w.secretary.sealedPin() },
      ],
      [
        'for a user who is not a member',
        'secretary',
        contribute,
        '404 not_found',
        {
          wallet_id: secretary!.wallet_id,
          amount: 1000,
          for_member_id: MISSING,
          pin: await w.secretary.sealedPin(),
        },
      ],
      [
        'a contribution that does not exist',
        'member',
        `GET ${path}/meetings/${w.meeting}/contributions/${MISSING}`,
        '404 not_found',
      ],
      // Settlement
      ['settling as secretary', 'secretary', `POST ${path}/meetings/${w.meeting}/settle`, '403 role_not_allowed'],
      ['settling as a plain member', 'member', `POST ${path}/meetings/${w.meeting}/settle`, '403 role_not_allowed'],
      [
        'settling before the due day with unpaid dues',
        'treasurer',
        `POST ${path}/meetings/${w.meeting}/settle`,
        '409 meeting_not_due',
      ],
      [
        'settling the second round before the first',
        'treasurer',
        `POST ${path}/meetings/${w.secondMeeting}/settle`,
        '409 earlier_round_open',
      ],
      ['a settlement that does not exist', 'member', `GET ${path}/meetings/${w.meeting}/settlement`, '404 not_found'],
    ]),
  ];
}
