import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { authorize, leaveAssociation } from '../../../lib/contracts/membership.ts';
import type { Authorization, Member } from '../../../lib/contracts/membership.ts';
import { MembershipBench, refusalOf } from '../../harness/membership.ts';

describe('authorize, with members who are to be paid', () => {
  let bench: MembershipBench;
  let association_id: string;
  let awa: Member;
  let binta: Member;

  before(async () => {
    bench = await MembershipBench.start();
    ({ id: association_id } = await bench.found('host'));
    awa = await bench.join('awa', association_id);
    binta = await bench.join('binta', association_id);
    await bench.as('binta', leaveAssociation, { path: { association_id } });
  });
  after(() => bench.stop());

  const ask = (user_id: string, permission: 'read' | 'settle', given: object = {}): Promise<Authorization> =>
    bench.command(authorize, { association_id, user_id, permission, ...given });

  it('tells where they are paid, those too who have left, and of nobody else', async () => {
    const { id: elsewhere } = await bench.found('host');
    const stranger = await bench.join('coumba', elsewhere);
    const payee_ids = [binta.id, awa.id, stranger.id, randomUUID()];
    const { payees, members } = await ask('host', 'settle', { payee_ids });
    expect(payees).to.have.deep.members([
      { member_id: awa.id, user_id: 'awa', payout_wallet_id: 'wallet-awa-XAF' },
      { member_id: binta.id, user_id: 'binta', payout_wallet_id: 'wallet-binta-XAF' },
    ]);
    expect(members).to.deep.equal([]);
  });

  it('says nothing of payees where none are asked for', async () => {
    expect(await ask('host', 'settle')).to.not.have.property('payees');
  });

  it('refuses who may not, whomever he asks for', async () => {
    expect((await refusalOf(ask('awa', 'settle', { payee_ids: [awa.id] }))).code).to.equal('role_not_allowed');
    expect((await refusalOf(ask('stranger', 'read', { payee_ids: [awa.id] }))).code).to.equal('not_found');
  });
});
