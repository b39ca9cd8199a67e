import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { authorize, type Authorization } from '../../../lib/contracts/membership.ts';
import { PERMISSIONS } from '../../../lib/contracts/permissions.ts';
import { useAssociation } from '../../harness/membership.ts';
import { complaintOf, outcomeOf, refusalOf } from '../../harness/refusal.ts';

/** Longer than a batch of requests waits for a lock. */
const LOCKED_MS = 500;

describe('authorize', () => {
  const harness = useAssociation();
  before(async () => {
    for (const user of ['host', 'awa']) await harness.setPin(user, '1234');
  });

  /** Calls `authorize`, even with a permission that does not exist. */
  const ask = (user_id: string, permission: string, given: object = {}): Promise<Authorization> =>
    harness.command(authorize, {
      association_id: harness.association_id,
      user_id,
      permission: permission as never,
      ...given,
    });

  it('returns the member, the terms and the amount in minor units', async () => {
    const { association_id, awa } = harness;
    await harness.change('awa', { hands: 2 });
    const pin = await harness.seal('1234');
    const answer = await ask('awa', 'contribute', { amount: 2_500, pin });
    expect(answer.member).to.deep.equal({
      member_id: awa.id,
      user_id: 'awa',
      display_name: 'Awa',
      role: 'member',
      status: 'active',
      hands: 2,
      payout_wallet_id: 'wallet-awa-XAF',
      joined_at: awa.joined_at,
    });
    expect(answer.terms).to.deep.include({
      association_id,
      name: 'Njangi of the market',
      type: 'tontine',
      status: 'active',
      currency: 'XAF',
      contribution_amount_minor: 10_000,
      contribution_frequency: 'monthly',
      rules_version: 1,
    });
    expect(answer.terms.rules.approvals.distribution).to.equal(2);
    expect(answer.amount_minor).to.equal(2_500);
    expect(answer.members).to.deep.equal([]);
  });

  it('returns the requested members and payees of the association, including former members', async () => {
    const { awa } = harness;
    const binta = await harness.join('binta');
    await harness.leave('binta');
    const stranger = await harness.join('coumba', (await harness.found('host')).id);
    const { members } = await ask('awa', 'read', { member_ids: [awa.id, binta.id, stranger.id, 'none'] });
    expect(members.map(({ user_id, status }) => [user_id, status])).to.deep.equal([
      ['awa', 'active'],
      ['binta', 'left'],
    ]);
    const payee_ids = [binta.id, awa.id, stranger.id, harness.newId()];
    const paid = await ask('host', 'settle', { payee_ids });
    expect(paid.payees).to.have.deep.members([
      { member_id: awa.id, user_id: 'awa', payout_wallet_id: 'wallet-awa-XAF' },
      { member_id: binta.id, user_id: 'binta', payout_wallet_id: 'wallet-binta-XAF' },
    ]);
    expect(paid.members).to.deep.equal([]);
    expect(await ask('host', 'settle')).to.not.have.property('payees');
    expect(await outcomeOf(ask('awa', 'settle', { payee_ids }))).to.equal('role_not_allowed');
    expect(await outcomeOf(ask('stranger', 'read', { payee_ids }))).to.equal('not_found');
  });

  for (const status of ['left', 'expelled'] as const) {
    it(`allows a member with status ${status} only to read their own statement, with the role member`, async () => {
      const { id: member_id } = harness.awa;
      await harness.appoint(member_id, 'treasurer');
      await (status === 'left' ? harness.leave('awa') : harness.execute('expulsion', { member_id }));
      const { member } = await ask('awa', 'read_own_statement');
      expect(member).to.include({ user_id: 'awa', status, role: 'member', display_name: 'Awa' });
      for (const permission of PERMISSIONS) {
        if (permission === 'read_own_statement') continue;
        expect(await outcomeOf(ask('awa', permission)), permission).to.equal('not_found');
      }
    });
  }

  it('answers `not_found` to strangers, and for an association that does not exist', async () => {
    expect(await outcomeOf(ask('stranger', 'read'))).to.equal('not_found');
    expect(await outcomeOf(ask('stranger', 'read_own_statement'))).to.equal('not_found');
    expect(await outcomeOf(ask('awa', 'read', { association_id: 'nothing' }))).to.equal('not_found');
  });

  it('refuses a role with the list of required roles, and reads roles again for every request', async () => {
    expect(await refusalOf(ask('awa', 'settle'))).to.deep.equal({
      code: 'role_not_allowed',
      extras: { required_roles: ['president', 'treasurer'] },
    });
    await harness.appoint(harness.awa.id, 'treasurer');
    await ask('awa', 'settle');
    await harness.appoint(harness.awa.id, 'member');
    expect(await outcomeOf(ask('awa', 'settle'))).to.equal('role_not_allowed');
  });

  it('checks in the documented order: member, role, amount, PIN, closed association', async () => {
    await harness.close();
    const record = async (user: string, amount: number, pin: string) =>
      ask(user, 'record_cash', { amount, pin: await harness.seal(pin) });
    expect(await outcomeOf(record('stranger', 0.5, '9999'))).to.equal('not_found');
    expect(await outcomeOf(record('awa', 0.5, '9999'))).to.equal('role_not_allowed');
    expect(await complaintOf(record('host', 0.5, '9999'))).to.deep.equal(['amount_precision', '/amount']);
    expect(await outcomeOf(record('host', 5, '9999'))).to.equal('pin_invalid');
    expect(await outcomeOf(record('host', 5, '1234'))).to.equal('association_closed');
    // A closed association can still be read.
    expect((await ask('host', 'read')).terms.status).to.equal('closed');
  });

  it('does not use up the PIN if an earlier check refuses', async () => {
    const pin = await harness.seal('1234');
    expect(await outcomeOf(ask('awa', 'contribute', { amount: 0.5, pin }))).to.equal('amount_precision');
    await ask('awa', 'contribute', { amount: 5, pin });
    expect(await outcomeOf(ask('awa', 'contribute', { amount: 5, pin }))).to.equal('pin_replayed');
  });

  it('waits while a migration has locked a table', async () => {
    let answer: Promise<Authorization> | undefined;
    await harness.inTransaction(async (migrating) => {
      await migrating.query('LOCK TABLE members');
      answer = ask('awa', 'read');
      await sleep(LOCKED_MS);
    });
    expect((await answer!).member.user_id).to.equal('awa');
  });
});
