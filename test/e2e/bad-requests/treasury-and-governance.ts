import { invalid, MISSING } from './world.ts';
import type { BadRequest, World } from './world.ts';

/** Cash, distributions, approvals, the ledger. */
export async function treasuryAndGovernance(w: World): Promise<BadRequest[]> {
  const { path, members } = w.group;
  const [, , , plain] = members;
  return [
    // Treasury
    {
      rule: 'recording cash as a plain member',
      as: 'member',
      send: `POST ${path}/cash-contribution`,
      body: { member_id: plain!.member_id, amount: 5, reason: 'r', pin: 'x' },
      status: 403,
      code: 'role_not_allowed',
    },
    ...invalid('secretary', `POST ${path}/cash-contribution`, [
      ['nothing', {}, '/member_id', '/amount', '/reason', '/pin'],
      ['an empty reason', { member_id: plain!.member_id, amount: 5, reason: '', pin: 'x' }, '/reason'],
    ]),
    {
      rule: 'cash without a member',
      as: 'secretary',
      send: `POST ${path}/cash-contribution`,
      body: { member_id: MISSING, amount: 5, reason: 'r', pin: await w.secretary.sealedPin() },
      status: 404,
      code: 'not_found',
    },
    {
      rule: 'distributing as a plain member',
      as: 'member',
      send: `POST ${path}/distributions`,
      body: { beneficiary_member_id: plain!.member_id, amount: 5, reason: 'r' },
      status: 403,
      code: 'role_not_allowed',
    },
    {
      rule: 'distributing more than there is',
      as: 'president',
      send: `POST ${path}/distributions`,
      body: { beneficiary_member_id: plain!.member_id, amount: 5_000_000, reason: 'r' },
      status: 409,
      code: 'insufficient_funds',
    },
    {
      rule: 'distributing without a member',
      as: 'president',
      send: `POST ${path}/distributions`,
      body: { beneficiary_member_id: MISSING, amount: 5, reason: 'r' },
      status: 404,
      code: 'not_found',
    },
    {
      rule: 'a distribution that does not exist',
      as: 'member',
      send: `GET ${path}/distributions/${MISSING}`,
      status: 404,
      code: 'not_found',
    },

    // Governance
    {
      rule: 'proposing as a plain member',
      as: 'member',
      send: `POST ${path}/governance/proposals`,
      body: { type: 'role_change', title: 't', payload: { member_id: plain!.member_id, role: 'treasurer' } },
      status: 403,
      code: 'role_not_allowed',
    },
    ...invalid('president', `POST ${path}/governance/proposals`, [
      ['an unknown type', { type: 'coup', title: 't', payload: {} }, '/type'],
      ['no rule to change', { type: 'rules_change', title: 't', payload: {} }, '/payload'],
      ['rules without a rule', { type: 'rules_change', title: 't', payload: { rules: {} } }, '/payload/rules'],
      ['an empty payload', { type: 'role_change', title: 't', payload: {} }, '/payload/member_id', '/payload/role'],
      [
        'an unknown role',
        { type: 'role_change', title: 't', payload: { member_id: plain!.member_id, role: 'king' } },
        '/payload/role',
      ],
    ]),
    {
      rule: 'a role without a member',
      as: 'president',
      send: `POST ${path}/governance/proposals`,
      body: { type: 'role_change', title: 't', payload: { member_id: MISSING, role: 'treasurer' } },
      status: 404,
      code: 'not_found',
    },
    {
      rule: 'approving as a plain member',
      as: 'member',
      send: `POST ${path}/governance/approve`,
      body: { approval_id: w.cashApproval, pin: 'x' },
      status: 403,
      code: 'role_not_allowed',
    },
    {
      rule: 'approving nothing',
      as: 'treasurer',
      send: `POST ${path}/governance/approve`,
      body: { approval_id: MISSING, pin: await w.treasurer.sealedPin() },
      status: 404,
      code: 'not_found',
    },
    {
      rule: "approving one's own request",
      as: 'secretary',
      send: `POST ${path}/governance/approve`,
      body: { approval_id: w.cashApproval, pin: await w.secretary.sealedPin() },
      status: 403,
      code: 'own_request',
    },
    {
      rule: 'approving what has changed',
      as: 'treasurer',
      send: `POST ${path}/governance/approve`,
      body: { approval_id: w.cashApproval, payload_hash: 'f'.repeat(64), pin: await w.treasurer.sealedPin() },
      status: 409,
      code: 'approval_changed',
    },
    ...invalid('treasurer', `POST ${path}/governance/approve`, [['no PIN', { approval_id: w.cashApproval }, '/pin']]),
    {
      rule: 'an approval that does not exist',
      as: 'member',
      send: `GET ${path}/governance/approvals/${MISSING}`,
      status: 404,
      code: 'not_found',
    },
    { rule: "another group's ledger", as: 'outsider', send: `GET ${path}/ledger`, status: 404, code: 'not_found' },
    {
      rule: "another group's export",
      as: 'outsider',
      send: `GET ${path}/ledger/export`,
      status: 404,
      code: 'not_found',
    },
  ];
}
