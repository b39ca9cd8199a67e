import { expect } from 'chai';
import {
  bindCycle,
  changeOwnMembership,
  executeApproval,
  leaveAssociation,
  listMembers,
} from '../../../lib/contracts/membership.ts';
import { MembershipBench, refusalOf } from '../../harness/membership.ts';

describe("one's own membership", () => {
  let bench: MembershipBench;
  let association_id: string;
  before(async () => {
    bench = await MembershipBench.start();
    for (const user of ['host', 'awa']) await bench.setPin(user, '1234');
  });
  after(() => bench.stop());
  beforeEach(async () => {
    bench.others.obligations = { cycle_running: false, has_arrears: false, pending: false };
    bench.others.asked_cycles = [];
    ({ id: association_id } = await bench.found('host'));
    await bench.join('awa', association_id);
  });

  const change = (user: string, body: object) =>
    bench.as(user, changeOwnMembership, { path: { association_id }, body: body });
  const leave = (user: string) => bench.as(user, leaveAssociation, { path: { association_id } });
  const close = () => bench.sql(`UPDATE associations SET status = 'closed' WHERE id = $1`, association_id);
  const bind = async () => {
    const cycle_id = bench.newId();
    await bench.command(bindCycle, { association_id, cycle_id });
    return cycle_id;
  };

  describe('changing it', () => {
    it('takes a name and hands, both or one', async () => {
      expect(await change('awa', { display_name: ' Awa N. ', hands: 5 })).to.include({
        display_name: 'Awa N.',
        hands: 5,
      });
      expect(await change('awa', { hands: 2 })).to.include({ display_name: 'Awa N.', hands: 2 });
    });

    it('keeps a changed name when the member comes back', async () => {
      await change('awa', { display_name: 'Queen' });
      await leave('awa');
      expect((await bench.join('awa', association_id)).display_name).to.equal('Queen');
    });

    it('is refused for strangers, and for everybody once the association is closed', async () => {
      expect((await refusalOf(change('stranger', { hands: 2 }))).code).to.equal('not_found');
      await close();
      expect((await refusalOf(change('awa', { hands: 2 }))).code).to.equal('association_closed');
    });

    it('needs something to change, whoever asks', async () => {
      // The one by its shape, the other by what it asks for.
      expect((await refusalOf(change('stranger', {}))).code).to.equal('VALIDATION_ERROR');
      expect((await refusalOf(change('stranger', { pin: 'x' }))).code).to.equal('validation_failed');
    });

    it('leaves hands alone while a cycle runs, but not the name', async () => {
      await bind();
      bench.others.obligations.cycle_running = true;
      expect((await refusalOf(change('awa', { hands: 2 }))).code).to.equal('cycle_in_progress');
      expect((await change('awa', { display_name: 'Awa' })).hands).to.equal(1);
    });

    it('changes hands as soon as the cycle has completed, even before the event says so', async () => {
      const cycle_id = await bind();
      expect((await change('awa', { hands: 2 })).hands).to.equal(2);
      expect(bench.others.asked_cycles).to.deep.equal([cycle_id]);
    });
  });

  describe('the payout wallet', () => {
    beforeEach(() => {
      bench.others.wallets.set('w2', { user_id: 'awa', currency: 'XAF' });
      bench.others.wallets.set('euro', { user_id: 'awa', currency: 'EUR' });
    });

    it('is changed with the PIN', async () => {
      const pin = await bench.seal('1234');
      expect((await change('awa', { payout_wallet_id: 'w2', pin })).payout_wallet_id).to.equal('w2');
    });

    it('is not changed without one: the request alone decides that', async () => {
      for (const user of ['awa', 'stranger']) {
        const { code, extras } = await refusalOf(change(user, { payout_wallet_id: 'w2' }));
        expect(code).to.equal('validation_failed');
        expect((extras.errors as unknown[])[0]).to.include({ pointer: '/pin', code: 'required' });
      }
    });

    it("must be one's own and in the currency; the PIN is judged first", async () => {
      const { payout_wallet_id } = await bench.join('binta', association_id);
      const attempt = async (wallet: string, pin: string) => {
        const sealed = await bench.seal(pin);
        return (await refusalOf(change('awa', { payout_wallet_id: wallet, pin: sealed }))).code;
      };
      expect(await attempt(payout_wallet_id!, '9999')).to.equal('pin_invalid');
      expect(await attempt(payout_wallet_id!, '1234')).to.equal('not_found');
      expect(await attempt('none', '1234')).to.equal('not_found');
      expect(await attempt('euro', '1234')).to.equal('wallet_currency_mismatch');
    });

    it('is behind the PIN before a closed association and a running cycle are told of', async () => {
      await bind();
      bench.others.obligations.cycle_running = true;
      const attempt = async (pin: string) =>
        (await refusalOf(change('awa', { payout_wallet_id: 'none', hands: 2, pin: await bench.seal(pin) }))).code;
      expect(await attempt('9999')).to.equal('pin_invalid');
      expect(await attempt('1234')).to.equal('cycle_in_progress');
      await close();
      expect(await attempt('9999')).to.equal('pin_invalid');
      expect(await attempt('1234')).to.equal('association_closed');
      expect((await refusalOf(change('stranger', { payout_wallet_id: 'w2', pin: 'x' }))).code).to.equal('not_found');
    });
  });

  describe('leaving', () => {
    it('makes the member a former one, frees the place and tells the event stream', async () => {
      await leave('awa');
      const { data } = await bench.as('host', listMembers, { path: { association_id } });
      expect(data.map(({ user_id, status }) => [user_id, status])).to.deep.equal([
        ['host', 'active'],
        ['awa', 'left'],
      ]);
      const [row] = await bench.sql('SELECT member_count FROM associations WHERE id = $1', association_id);
      expect(row).to.deep.equal({ member_count: 1 });
      expect((await bench.events(association_id)).at(-1)).to.deep.equal({
        type: 'member.left',
        data: { member_id: data[1]!.id, user_id: 'awa' },
      });
      expect((await refusalOf(leave('awa'))).code).to.equal('not_found');
    });

    it('is not for the president, nor for strangers, nor from a closed association', async () => {
      expect((await refusalOf(leave('host'))).code).to.equal('president_cannot_leave');
      expect((await refusalOf(leave('stranger'))).code).to.equal('not_found');
      await close();
      expect((await refusalOf(leave('awa'))).code).to.equal('association_closed');
    });

    it('waits for a running cycle, for arrears and for what is pending', async () => {
      await bind();
      const obligations = { cycle_running: false, has_arrears: false, pending: false };
      for (const reason of ['cycle_running', 'has_arrears', 'pending'] as const) {
        bench.others.obligations = { ...obligations, [reason]: true };
        expect((await refusalOf(leave('awa'))).code, reason).to.equal('member_has_obligations');
      }
      bench.others.obligations = obligations;
      await leave('awa');
    });

    it('asks about the cycle that binds the member, and lets him go once that has completed', async () => {
      const cycle_id = await bind();
      await bench.join('binta', association_id);
      await leave('binta');
      await leave('awa');
      // Each asks before the treasury locks the membership, and again with that.
      expect(bench.others.asked_cycles).to.deep.equal([null, null, cycle_id, cycle_id]);
    });

    it('happens once, however often it is asked for at once', async () => {
      const outcomes = await Promise.allSettled(Array.from({ length: 6 }, () => leave('awa')));
      expect(outcomes.filter((outcome) => outcome.status === 'fulfilled')).to.have.length(1);
      const [row] = await bench.sql('SELECT member_count FROM associations WHERE id = $1', association_id);
      expect(row).to.deep.equal({ member_count: 1 });
    });

    it('never takes away the president, also when he becomes that meanwhile', async () => {
      for (let round = 0; round < 5; round += 1) {
        const { id } = await bench.found('chair');
        const { id: member_id } = await bench.join('heir', id);
        const approval_id = bench.newId();
        await Promise.allSettled([
          bench.as('heir', leaveAssociation, { path: { association_id: id } }),
          bench.command(executeApproval, {
            approval_id,
            association_id: id,
            subject_type: 'role_change',
            subject_id: approval_id,
            decision: 'approved',
            payload: { member_id, role: 'president' },
          }),
        ]);
        const presidents = await bench.sql(
          `SELECT id FROM members WHERE association_id = $1 AND role = 'president' AND status = 'active'`,
          id,
        );
        expect(presidents).to.have.length(1);
      }
    });
  });
});
