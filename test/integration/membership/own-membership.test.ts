import { expect } from 'chai';
import { obligations } from '../../../lib/contracts/contribution.ts';
import { bindCycle, changeOwnMembership, leaveAssociation } from '../../../lib/contracts/membership.ts';
import { useMembership } from '../../harness/membership.ts';
import { outcomeOf, refusalOf } from '../../harness/refusal.ts';

describe("one's own membership", () => {
  const bench = useMembership();
  let association_id: string;
  before(async () => {
    for (const user of ['host', 'awa']) await bench.setPin(user, '1234');
  });
  beforeEach(async () => {
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

    it('is refused for strangers, and for all users once the association is closed', async () => {
      expect(await outcomeOf(change('stranger', { hands: 2 }))).to.equal('not_found');
      await close();
      expect(await outcomeOf(change('awa', { hands: 2 }))).to.equal('association_closed');
    });

    it('needs something to change, whichever user asks', async () => {
      // The one by its shape, the other by what it asks for.
      expect(await outcomeOf(change('stranger', {}))).to.equal('VALIDATION_ERROR');
      expect(await outcomeOf(change('stranger', { pin: 'x' }))).to.equal('validation_failed');
    });

    it('leaves hands alone while a cycle runs, but not the name', async () => {
      await bind();
      bench.contribution.obligations.cycle_running = true;
      expect(await outcomeOf(change('awa', { hands: 2 }))).to.equal('cycle_in_progress');
      expect((await change('awa', { display_name: 'Awa' })).hands).to.equal(1);
    });

    it('changes hands as soon as the cycle has completed, even before the event says so', async () => {
      const cycle_id = await bind();
      expect((await change('awa', { hands: 2 })).hands).to.equal(2);
      expect(bench.contribution.received(obligations).map((each) => each.cycle_id)).to.deep.equal([cycle_id]);
    });
  });

  describe('the payout wallet', () => {
    beforeEach(() => {
      bench.treasury.wallets.set('w2', { user_id: 'awa', currency: 'XAF' });
      bench.treasury.wallets.set('euro', { user_id: 'awa', currency: 'EUR' });
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
      bench.contribution.obligations.cycle_running = true;
      const attempt = async (pin: string) =>
        (await refusalOf(change('awa', { payout_wallet_id: 'none', hands: 2, pin: await bench.seal(pin) }))).code;
      expect(await attempt('9999')).to.equal('pin_invalid');
      expect(await attempt('1234')).to.equal('cycle_in_progress');
      await close();
      expect(await attempt('9999')).to.equal('pin_invalid');
      expect(await attempt('1234')).to.equal('association_closed');
      expect(await outcomeOf(change('stranger', { payout_wallet_id: 'w2', pin: 'x' }))).to.equal('not_found');
    });
  });
});
