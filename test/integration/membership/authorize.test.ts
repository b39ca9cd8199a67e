import { expect } from 'chai';
import { authorize, leaveAssociation } from '../../../lib/contracts/membership.ts';
import type { Authorization, Member } from '../../../lib/contracts/membership.ts';
import { PERMISSIONS } from '../../../lib/contracts/permissions.ts';
import { useMembership } from '../../harness/membership.ts';
import { outcomeOf, refusalOf } from '../../harness/refusal.ts';

describe('authorize', () => {
  const bench = useMembership();
  let association_id: string;
  let awa: Member;
  before(async () => {
    for (const user of ['host', 'awa']) await bench.setPin(user, '1234');
    ({ id: association_id } = await bench.found('host'));
    awa = await bench.join('awa', association_id, 2);
  });

  // Also permissions that there are not.
  const ask = (user_id: string, permission: string, given: object = {}): Promise<Authorization> =>
    bench.command(authorize, { association_id, user_id, permission: permission as never, ...given });

  it('gives the member, the terms and the amount in minor units', async () => {
    const pin = await bench.seal('1234');
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

  it('names the members that were asked for, active or not, and no others', async () => {
    const binta = await bench.join('binta', association_id);
    await bench.as('binta', leaveAssociation, { path: { association_id } });
    const { id: elsewhere } = await bench.found('host');
    const stranger = await bench.join('coumba', elsewhere);
    const { members } = await ask('awa', 'read', { member_ids: [awa.id, binta.id, stranger.id, 'none'] });
    expect(members.map(({ user_id, status }) => [user_id, status])).to.deep.equal([
      ['awa', 'active'],
      ['binta', 'left'],
    ]);
  });

  it('says where members are paid, also those who have left, if they are asked for', async () => {
    const binta = (await bench.sql<{ id: string }>(`SELECT id FROM members WHERE user_id = 'binta'`))[0]!;
    const { id: elsewhere } = await bench.found('host');
    const stranger = await bench.join('coumba', elsewhere);
    const payee_ids = [binta.id, awa.id, stranger.id, bench.newId()];
    const { payees, members } = await ask('host', 'settle', { payee_ids });
    expect(payees).to.have.deep.members([
      { member_id: awa.id, user_id: 'awa', payout_wallet_id: 'wallet-awa-XAF' },
      { member_id: binta.id, user_id: 'binta', payout_wallet_id: 'wallet-binta-XAF' },
    ]);
    expect(members).to.deep.equal([]);
    expect(await ask('host', 'settle')).to.not.have.property('payees');
    expect(await outcomeOf(ask('awa', 'settle', { payee_ids }))).to.equal('role_not_allowed');
    expect(await outcomeOf(ask('stranger', 'read', { payee_ids }))).to.equal('not_found');
  });

  it('refuses strangers, former members, and whatever does not exist', async () => {
    for (const user of ['stranger', 'binta']) {
      expect(await outcomeOf(ask(user, 'read'))).to.equal('not_found');
    }
    expect(await outcomeOf(ask('awa', 'read', { association_id: 'nothing' }))).to.equal('not_found');
  });

  it('lets former members read their own statement, as plain members, and nothing else', async () => {
    const { id } = await bench.found('host');
    const left = await bench.join('left', id);
    const expelled = await bench.join('expelled', id);
    await bench.appoint(id, left.id, 'treasurer');
    await bench.as('left', leaveAssociation, { path: { association_id: id } });
    await bench.execute(id, 'expulsion', { member_id: expelled.id });
    for (const [user, status] of [
      ['left', 'left'],
      ['expelled', 'expelled'],
    ] as const) {
      const { member } = await ask(user, 'read_own_statement', { association_id: id });
      expect(member).to.include({ user_id: user, status, role: 'member', display_name: 'Awa' });
      for (const permission of PERMISSIONS) {
        if (permission === 'read_own_statement') continue;
        expect(await outcomeOf(ask(user, permission, { association_id: id })), permission).to.equal('not_found');
      }
    }
    expect(await outcomeOf(ask('stranger', 'read_own_statement'))).to.equal('not_found');
  });

  it("lets the board alone read another's statement", async () => {
    await ask('host', 'read_any_statement');
    expect((await refusalOf(ask('awa', 'read_any_statement'))).extras).to.deep.equal({
      required_roles: ['president', 'treasurer', 'secretary'],
    });
  });

  it('refuses a role, naming those that may', async () => {
    expect(await refusalOf(ask('awa', 'settle'))).to.deep.equal({
      code: 'role_not_allowed',
      extras: { required_roles: ['president', 'treasurer'] },
    });
  });

  it('reads roles anew at every request', async () => {
    await bench.appoint(association_id, awa.id, 'treasurer');
    await ask('awa', 'settle');
    await bench.appoint(association_id, awa.id, 'member');
    expect(await outcomeOf(ask('awa', 'settle'))).to.equal('role_not_allowed');
  });

  it('judges in the order of the contract: member, role, amount, PIN, closed', async () => {
    const { id } = await bench.found('host');
    const closed = { association_id: id };
    await bench.join('awa', id);
    await bench.sql(`UPDATE associations SET status = 'closed' WHERE id = $1`, id);
    const wrong = async () => ({ ...closed, amount: 0.5, pin: await bench.seal('9999') });

    expect(await outcomeOf(ask('stranger', 'record_cash', await wrong()))).to.equal('not_found');
    expect(await outcomeOf(ask('awa', 'record_cash', await wrong()))).to.equal('role_not_allowed');
    expect(await outcomeOf(ask('host', 'record_cash', await wrong()))).to.equal('amount_precision');
    expect(await outcomeOf(ask('host', 'record_cash', { ...(await wrong()), amount: 5 }))).to.equal('pin_invalid');
    const right = { ...closed, amount: 5, pin: await bench.seal('1234') };
    expect(await outcomeOf(ask('host', 'record_cash', right))).to.equal('association_closed');
    // What was closed may still be read.
    expect((await ask('host', 'read', closed)).terms.status).to.equal('closed');
  });

  it('leaves the PIN alone where an earlier rule refuses', async () => {
    const pin = await bench.seal('1234');
    expect(await outcomeOf(ask('awa', 'contribute', { amount: 0.5, pin }))).to.equal('amount_precision');
    await ask('awa', 'contribute', { amount: 5, pin });
    expect(await outcomeOf(ask('awa', 'contribute', { amount: 5, pin }))).to.equal('pin_replayed');
  });

  it('names the amount that is too large or too fine', async () => {
    const { id } = await bench.found('host', { currency: 'EUR' });
    const tooLarge = await refusalOf(ask('host', 'contribute', { association_id: id, amount: 1e13 }));
    expect(tooLarge.code).to.equal('validation_failed');
    const tooFine = await refusalOf(ask('host', 'contribute', { association_id: id, amount: 1.005 }));
    expect(tooFine.code).to.equal('amount_precision');
    for (const { extras } of [tooLarge, tooFine]) {
      expect((extras.errors as unknown[])[0]).to.include({ pointer: '/amount' });
    }
  });
});
