import { expect } from 'chai';
import { obligations } from '../../../lib/contracts/contribution.ts';
import { getOwnMembership } from '../../../lib/contracts/membership.ts';
import { checkWallet } from '../../../lib/contracts/treasury.ts';
import { useAssociation } from '../../harness/membership.ts';
import { atOnce, outcomeOf, outcomesOf, refusalOf } from '../../harness/refusal.ts';
import { tagOf } from '../../harness/service-harness.ts';

describe("the user's own membership", () => {
  const harness = useAssociation();
  before(() => harness.setPin('awa', '1234'));

  const change = (user: string, body: object) => harness.change(user, body);
  const attempt = async (wallet: string, pin: string, more: object = {}) =>
    outcomeOf(change('awa', { payout_wallet_id: wallet, pin: await harness.seal(pin), ...more }));

  describe('changed by the member', () => {
    it('has a new name, new hands or both, and keeps the name when the member rejoins', async () => {
      const changed = await change('awa', { display_name: ' Awa N. ', hands: 5 });
      expect(changed).to.include({ display_name: 'Awa N.', hands: 5 });
      expect(await change('awa', { hands: 2 })).to.include({ display_name: 'Awa N.', hands: 2 });
      await harness.leave('awa');
      expect((await harness.join('awa')).display_name).to.equal('Awa N.');
    });

    it('cannot be changed by strangers, or after the association is closed', async () => {
      expect(await outcomeOf(change('stranger', { hands: 2 }))).to.equal('not_found');
      await harness.close();
      expect(await outcomeOf(change('awa', { hands: 2 }))).to.equal('association_closed');
    });

    it('cannot be changed by a request without a change, which is refused before the user is checked', async () => {
      // An empty body fails its schema; a body with only a PIN fails the check of the action.
      expect(await outcomeOf(change('stranger', {}))).to.equal('VALIDATION_ERROR');
      expect(await outcomeOf(change('stranger', { pin: 'x' }))).to.equal('validation_failed');
    });

    it('can have a new name, but not new hands, while a cycle is running', async () => {
      await harness.bindCycle();
      harness.contribution.obligations.cycle_running = true;
      expect(await outcomeOf(change('awa', { hands: 2 }))).to.equal('cycle_in_progress');
      expect((await change('awa', { display_name: 'Awa' })).hands).to.equal(1);
    });

    it('can have new hands once the cycle has completed, even before the event of its completion arrives', async () => {
      const cycle_id = harness.newId();
      await harness.bindCycle(cycle_id);
      expect((await change('awa', { hands: 2 })).hands).to.equal(2);
      expect(harness.contribution.received(obligations).map((each) => each.cycle_id)).to.deep.equal([cycle_id]);
    });
  });

  describe('changed with If-Match', () => {
    const changeIf = (if_match: readonly string[] | '*', body: object, user = 'awa') =>
      harness.change(user, body, undefined, if_match);
    const show = () => harness.as('awa', getOwnMembership, harness.path());

    it('has changed only if it was as the member has read it', async () => {
      const read = await show();
      const changed = await changeIf([tagOf(read)], { display_name: 'Awa 1' });
      expect(await outcomeOf(changeIf([tagOf(read)], { hands: 2 }))).to.equal('precondition_failed');
      await changeIf([tagOf(changed)], { hands: 2 });
      await changeIf('*', { display_name: 'Awa 2' });
      expect(await show()).to.include({ display_name: 'Awa 2', hands: 2 });
    });

    it('is refused before the PIN is checked, the association is closed and a cycle is running', async () => {
      const payout_wallet_id = harness.awa.payout_wallet_id!;
      expect(await outcomeOf(changeIf(['"other"'], { hands: 2 }, 'stranger'))).to.equal('not_found');
      const pin = await harness.seal('9999');
      expect(await outcomeOf(changeIf(['"other"'], { payout_wallet_id, pin }))).to.equal('precondition_failed');
      await harness.bindCycle();
      harness.contribution.obligations.cycle_running = true;
      expect(await outcomeOf(changeIf(['"other"'], { hands: 2 }))).to.equal('precondition_failed');
      expect(await outcomeOf(changeIf([tagOf(await show())], { hands: 2 }))).to.equal('cycle_in_progress');
      await harness.close();
      expect(await outcomeOf(changeIf(['"other"'], { hands: 2 }))).to.equal('precondition_failed');
      expect(await outcomeOf(changeIf([tagOf(await show())], { hands: 2 }))).to.equal('association_closed');
      // The ciphertext that was not looked at is still unused, and the PIN in it is wrong.
      expect(await refusalOf(change('awa', { payout_wallet_id, pin }))).to.deep.equal({
        code: 'pin_invalid',
        extras: { attempts_left: 4 },
      });
      await harness.sql('UPDATE pins SET failed_attempts = 0');
    });

    it('is changed by one of several requests that have read the same', async () => {
      for (let round = 0; round < 5; round += 1) {
        const tag = tagOf(await show());
        const outcomes = await outcomesOf(
          atOnce(6, (n) => changeIf([tag], { display_name: `Awa ${String(round)} ${String(n)}` })),
        );
        expect(outcomes).to.deep.equal(['done', ...Array<string>(5).fill('precondition_failed')]);
      }
    });

    it('is refused if it has changed while its new wallet was checked', async () => {
      const tag = tagOf(await show());
      harness.treasury.answer(checkWallet, async () => {
        await change('awa', { display_name: 'Meanwhile' });
        return { ok: true };
      });
      const body = { payout_wallet_id: 'w3', pin: await harness.seal('1234') };
      expect(await outcomeOf(changeIf([tag], body))).to.equal('precondition_failed');
      expect(await show()).to.include({ display_name: 'Meanwhile', payout_wallet_id: harness.awa.payout_wallet_id });
    });
  });

  describe('the payout wallet', () => {
    beforeEach(() => {
      harness.treasury.wallets.set('w2', { user_id: 'awa', currency: 'XAF' });
      harness.treasury.wallets.set('euro', { user_id: 'awa', currency: 'EUR' });
    });

    it('can be changed with the PIN', async () => {
      const pin = await harness.seal('1234');
      expect((await change('awa', { payout_wallet_id: 'w2', pin })).payout_wallet_id).to.equal('w2');
    });

    it('cannot be changed without a PIN, which is checked before the user', async () => {
      for (const user of ['awa', 'stranger']) {
        const { code, extras } = await refusalOf(change(user, { payout_wallet_id: 'w2' }));
        expect(code).to.equal('validation_failed');
        expect((extras.errors as unknown[])[0]).to.include({ pointer: '/pin', code: 'required' });
      }
    });

    it('must belong to the user and have the right currency, which is checked after the PIN', async () => {
      const { payout_wallet_id } = await harness.join('binta');
      expect(await attempt(payout_wallet_id!, '9999')).to.equal('pin_invalid');
      expect(await attempt(payout_wallet_id!, '1234')).to.equal('not_found');
      expect(await attempt('none', '1234')).to.equal('not_found');
      expect(await attempt('euro', '1234')).to.equal('wallet_currency_mismatch');
    });

    it('needs a PIN that is checked before the closed association, the running cycle and the wallet', async () => {
      await harness.bindCycle();
      harness.contribution.obligations.cycle_running = true;
      expect(await attempt('none', '9999', { hands: 2 })).to.equal('pin_invalid');
      expect(await attempt('none', '1234', { hands: 2 })).to.equal('cycle_in_progress');
      await harness.close();
      expect(await attempt('none', '9999')).to.equal('pin_invalid');
      expect(await attempt('none', '1234')).to.equal('association_closed');
      expect(await outcomeOf(change('stranger', { payout_wallet_id: 'w2', pin: 'x' }))).to.equal('not_found');
    });
  });
});
