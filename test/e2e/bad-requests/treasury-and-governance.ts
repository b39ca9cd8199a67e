import { invalid, MISSING, refused, type BadRequest, type World } from './world.ts';

/** Returns bad requests about cash, distributions, approvals and the ledger. */
export async function treasuryAndGovernance(w: World): Promise<BadRequest[]> {
  const { path, members } = w.group;
  const [, , , plain] = members;
  return [
    // Treasury
    ...refused([
      [
        'recording cash as a plain member',
        'member',
        `POST ${path}/cash-contribution`,
        '403 role_not_allowed',
        { member_id: plain!.member_id, amount: 5, reason: 'r', pin: 'x' },
      ],
    ]),
    ...invalid('secretary', `POST ${path}/cash-contribution`, [
      ['an empty body', {}, '/member_id', '/amount', '/reason', '/pin'],
      ['an empty reason', { member_id: plain!.member_id, amount: 5, reason: '', pin: 'x' }, '/reason'],
    ]),
    ...refused([
      [
        'cash of a member who does not exist',
        'secretary',
        `POST ${path}/cash-contribution`,
        '404 not_found',
        { member_id: MISSING, amount: 5, reason: 'r', pin: await w.secretary.sealedPin() },
      ],
      [
        'distributing as a plain member',
        'member',
        `POST ${path}/distributions`,
        '403 role_not_allowed',
        { beneficiary_member_id: plain!.member_id, amount: 5, reason: 'r' },
      ],
      [
        'distributing more than the treasury holds',
        'president',
        `POST ${path}/distributions`,
        '409 insufficient_funds',
        { beneficiary_member_id: plain!.member_id, amount: 5_000_000, reason: 'r' },
      ],
      [
        'distributing to a member who does not exist',
        'president',
        `POST ${path}/distributions`,
        '404 not_found',
        { beneficiary_member_id: MISSING, amount: 5, reason: 'r' },
      ],
      ['a distribution that does not exist', 'member', `GET ${path}/distributions/${MISSING}`, '404 not_found'],
      // Governance
      [
        'proposing as a plain member',
        'member',
        `POST ${path}/governance/proposals`,
        '403 role_not_allowed',
        { type: 'role_change', title: 't', payload: { member_id: plain!.member_id, role: 'treasurer' } },
      ],
    ]),
    ...invalid('president', `POST ${path}/governance/proposals`, [
      ['an unknown type', { type: 'coup', title: 't', payload: {} }, '/type'],
      ['a rules change without a change', { type: 'rules_change', title: 't', payload: {} }, '/payload'],
      [
        'a rules change with empty rules',
        { type: 'rules_change', title: 't', payload: { rules: {} } },
        '/payload/rules',
      ],
      ['an empty payload', { type: 'role_change', title: 't', payload: {} }, '/payload/member_id', '/payload/role'],
      [
        'an unknown role',
        { type: 'role_change', title: 't', payload: { member_id: plain!.member_id, role: 'king' } },
        '/payload/role',
      ],
    ]),
    ...refused([
      [
        'a role for a member who does not exist',
        'president',
        `POST ${path}/governance/proposals`,
        '404 not_found',
        { type: 'role_change', title: 't', payload: { member_id: MISSING, role: 'treasurer' } },
      ],
      [
        'approving as a plain member',
        'member',
        `POST ${path}/governance/approve`,
        '403 role_not_allowed',
        { approval_id: w.cashApproval, pin: 'x' },
      ],
      [
        'approving a request that does not exist',
        'treasurer',
        `POST ${path}/governance/approve`,
        '404 not_found',
        { approval_id: MISSING, pin: await w.treasurer.sealedPin() },
      ],
      [
        'approving an own request',
        'secretary',
        `POST ${path}/governance/approve`,
        '403 own_request',
        { approval_id: w.cashApproval, pin: await w.secretary.sealedPin() },
      ],
      [
        'approving with another payload hash',
        'treasurer',
        `POST ${path}/governance/approve`,
        '409 approval_changed',
        { approval_id: w.cashApproval, payload_hash: 'f'.repeat(64), pin: await w.treasurer.sealedPin() },
      ],
    ]),
    ...invalid('treasurer', `POST ${path}/governance/approve`, [['no PIN', { approval_id: w.cashApproval }, '/pin']]),
    ...refused([
      ['an approval that does not exist', 'member', `GET ${path}/governance/approvals/${MISSING}`, '404 not_found'],
      ["another group's ledger", 'outsider', `GET ${path}/ledger`, '404 not_found'],
      ["another group's export", 'outsider', `GET ${path}/ledger/export`, '404 not_found'],
    ]),
  ];
}
