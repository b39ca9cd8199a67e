import { invalid, MISSING, refused, type BadRequest, type World } from './world.ts';

const NEW_ASSOCIATION = {
  name: 'A',
  type: 'tontine',
  currency: 'XAF',
  contribution_amount: 1000,
  contribution_frequency: 'monthly',
};

/** Returns bad requests about associations, members and invitations. */
export async function associations(w: World): Promise<BadRequest[]> {
  const { path, members } = w.group;
  const [, , secretary, plain] = members;
  return [
    // Associations
    ...invalid('member', 'POST /associations', [
      ['an empty body', {}, '/name', '/type', '/currency', '/contribution_amount', '/contribution_frequency'],
      ['an empty name', { ...NEW_ASSOCIATION, name: '' }, '/name'],
      ['a name of spaces', { ...NEW_ASSOCIATION, name: '   ' }, '/name'],
      ['a name of 121 code points', { ...NEW_ASSOCIATION, name: 'é'.repeat(121) }, '/name'],
      ['a name that is a number', { ...NEW_ASSOCIATION, name: 7 }, '/name'],
      ['a name that is null', { ...NEW_ASSOCIATION, name: null }, '/name'],
      ['a description of 2 001 code points', { ...NEW_ASSOCIATION, description: 'a'.repeat(2001) }, '/description'],
      ['an unknown type', { ...NEW_ASSOCIATION, type: 'club' }, '/type'],
      ['a currency code without minor units', { ...NEW_ASSOCIATION, currency: 'XAU' }, '/currency'],
      ['an unknown currency', { ...NEW_ASSOCIATION, currency: 'ZZZ' }, '/currency'],
      ['an amount of zero', { ...NEW_ASSOCIATION, contribution_amount: 0 }, '/contribution_amount'],
      ['an amount below zero', { ...NEW_ASSOCIATION, contribution_amount: -5 }, '/contribution_amount'],
      ['an amount as text', { ...NEW_ASSOCIATION, contribution_amount: '1000' }, '/contribution_amount'],
      ['an amount of 16 digits', { ...NEW_ASSOCIATION, contribution_amount: 1e15 }, '/contribution_amount'],
      ['an unknown frequency', { ...NEW_ASSOCIATION, contribution_frequency: 'hourly' }, '/contribution_frequency'],
      ['a maximum of 1 member', { ...NEW_ASSOCIATION, max_members: 1 }, '/max_members'],
      ['a maximum of 10 001 members', { ...NEW_ASSOCIATION, max_members: 10_001 }, '/max_members'],
      ['a maximum of 2.5 members', { ...NEW_ASSOCIATION, max_members: 2.5 }, '/max_members'],
      ['is_public as text', { ...NEW_ASSOCIATION, is_public: 'yes' }, '/is_public'],
      ['21 hands', { ...NEW_ASSOCIATION, hands: 21 }, '/hands'],
      ['no hands', { ...NEW_ASSOCIATION, hands: 0 }, '/hands'],
      [
        '11 beneficiaries',
        { ...NEW_ASSOCIATION, rules: { beneficiaries_per_meeting: 11 } },
        '/rules/beneficiaries_per_meeting',
      ],
      [
        'no approvals for a distribution',
        { ...NEW_ASSOCIATION, rules: { approvals: { distribution: 0 } } },
        '/rules/approvals/distribution',
      ],
      ['an unknown rule', { ...NEW_ASSOCIATION, rules: { colour: 'red' } }, '/rules/colour'],
      ['an unknown field', { ...NEW_ASSOCIATION, admin: true }, '/admin'],
      ['a field of the answer', { ...NEW_ASSOCIATION, status: 'active' }, '/status'],
      ['two wrong fields', { ...NEW_ASSOCIATION, name: '', type: 'x' }, '/name', '/type'],
    ]),
    ...refused([
      [
        'an amount of half a franc',
        'member',
        'POST /associations',
        '422 amount_precision',
        { ...NEW_ASSOCIATION, contribution_amount: 0.5 },
      ],
      [
        'an amount of three decimals in euro',
        'member',
        'POST /associations',
        '422 amount_precision',
        { ...NEW_ASSOCIATION, currency: 'eur', contribution_amount: 1.005 },
      ],
      ['an association that does not exist', 'member', `GET /associations/${MISSING}`, '404 not_found'],
      ['a malformed id', 'member', 'GET /associations/1', '404 not_found'],
      ["another group's members", 'outsider', `GET ${path}/members`, '404 not_found'],
      ['joining twice', 'member', `POST ${path}/join`, '409 already_member', {}],
      ['joining a full association', 'outsider', `POST ${path}/join`, '409 association_full', {}],
      [
        'joining an association that does not exist',
        'outsider',
        `POST /associations/${MISSING}/join`,
        '404 not_found',
        {},
      ],
    ]),
    ...invalid('outsider', `POST ${path}/join`, [['hands as text', { hands: '1' }, '/hands']]),
    ...refused([
      ['inviting as a plain member', 'member', `POST ${path}/invitations`, '403 role_not_allowed', {}],
      ['inviting as treasurer', 'treasurer', `POST ${path}/invitations`, '403 role_not_allowed', {}],
    ]),
    ...invalid('president', `POST ${path}/invitations`, [
      ['an invitation without uses', { max_uses: 0 }, '/max_uses'],
      ['an invitation of 721 hours', { expires_in_hours: 721 }, '/expires_in_hours'],
    ]),
    ...refused([
      ['an unknown invitation', 'outsider', 'POST /invitations/nothing/accept', '404 not_found', {}],
      ['the president leaving', 'president', `DELETE ${path}/members/me`, '409 president_cannot_leave'],
      ['leaving a running cycle', 'member', `DELETE ${path}/members/me`, '409 member_has_obligations'],
      [
        'changing hands in a running cycle',
        'member',
        `PATCH ${path}/members/me`,
        '409 cycle_in_progress',
        { hands: 2 },
      ],
    ]),
    ...invalid('president', `PATCH ${path}`, [
      ['an association without a change', {}, ''],
      ['an empty name', { name: ' ' }, '/name'],
      ['a name of null', { name: null }, '/name'],
      ['a description of 2 001 code points', { description: 'a'.repeat(2001) }, '/description'],
      ['is_public as text', { is_public: 'yes' }, '/is_public'],
      ['another type', { type: 'savings' }, '/type'],
      ['another currency', { name: 'N', currency: 'EUR' }, '/currency'],
    ]),
    ...refused([
      ['changing the association as treasurer', 'treasurer', `PATCH ${path}`, '403 role_not_allowed', { name: 'N' }],
      ['changing the association as an outsider', 'outsider', `PATCH ${path}`, '404 not_found', { name: 'N' }],
      ['reading an unknown code', 'outsider', 'GET /invitations/nothing', '404 not_found'],
      ['withdrawing an unknown invitation', 'president', `DELETE ${path}/invitations/${MISSING}`, '404 not_found'],
      ['listing invitations as a member', 'member', `GET ${path}/invitations`, '403 role_not_allowed'],
    ]),
    ...invalid('outsider', `POST ${path}/join`, [['an empty display name', { display_name: ' ' }, '/display_name']]),
    ...invalid('outsider', 'POST /invitations/nothing/accept', [
      ['a display name of 121 code points', { display_name: 'é'.repeat(121) }, '/display_name'],
    ]),
    ...invalid('president', `GET ${path}/invitations?limit=0`, [['no invitations', undefined, 'limit']]),
    ...invalid('member', `PATCH ${path}/members/me`, [
      ['a payout wallet without a PIN', { payout_wallet_id: plain!.wallet_id }, '/pin'],
      ['an empty body', {}, ''],
      ['a PIN without a change', { pin: 'x' }, ''],
      ['a role for themselves', { role: 'president' }, '/role'],
    ]),
    ...refused([
      [
        'a payout wallet of another user',
        'member',
        `PATCH ${path}/members/me`,
        '404 not_found',
        { payout_wallet_id: secretary!.wallet_id, pin: await w.member.sealedPin() },
      ],
    ]),
    ...invalid('member', `GET ${path}/members?limit=0`, [['no rows', undefined, 'limit']]),
    ...invalid('member', `GET ${path}/members?limit=201`, [['too many rows', undefined, 'limit']]),
    ...invalid('member', `GET ${path}/members?role=king`, [['an unknown role', undefined, 'role']]),
    ...invalid('member', `GET ${path}/members?cursor=abc`, [['a forged cursor', undefined, 'cursor']]),
  ];
}
