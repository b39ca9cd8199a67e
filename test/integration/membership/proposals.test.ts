import { expect } from 'chai';
import { checkProposal, DEFAULT_RULES, executeApproval } from '../../../lib/contracts/membership.ts';
import { DONE, failed } from '../../harness/fakes/fake.ts';
import { useAssociation } from '../../harness/membership.ts';
import { atOnce, complaintOf, outcomeOf } from '../../harness/refusal.ts';

type Type = 'role_change' | 'rules_change' | 'expulsion' | 'closure' | 'motion';

describe('an approved proposal', () => {
  const harness = useAssociation();
  let approval_id: string;
  beforeEach(() => {
    approval_id = harness.newId();
  });

  const check = (type: Type, payload: object) =>
    harness.command(checkProposal, { association_id: harness.association_id, type, payload: { ...payload } });
  const state = async () => [await harness.show(), await harness.events(harness.association_id)];
  /** Expects that check and execution refuse the proposal and write nothing. */
  const expectRefused = async (type: Type, payload: object, code: string) => {
    const before = await state();
    expect(await outcomeOf(check(type, payload))).to.equal(code);
    expect(await harness.execute(type, payload)).to.deep.equal(failed(code));
    expect(await state()).to.deep.equal(before);
  };
  const countNow = async () => (await harness.show()).member_count;

  describe('to change the rules', () => {
    it('merges them, increments the version and publishes an event, once', async () => {
      const payload = {
        rules: { shortfall: 'pay_collected', approvals: { distribution: 3 } },
        contribution_amount: 12_500,
        max_members: 2,
      };
      await check('rules_change', payload);
      expect(await harness.execute('rules_change', payload, approval_id)).to.deep.equal(DONE);
      const approvals = { ...DEFAULT_RULES.approvals, distribution: 3 };
      expect(await harness.show()).to.deep.include({
        rules: { ...DEFAULT_RULES, shortfall: 'pay_collected', approvals },
        rules_version: 2,
        contribution_amount: 12_500,
        max_members: 2,
      });
      await harness.execute('rules_change', payload, approval_id);
      const data = { rules_version: 2, contribution_amount_minor: 12_500, max_members: 2, approval_id };
      const changes = await harness.events(harness.association_id, 'rules.changed');
      expect(changes).to.deep.equal([{ type: 'rules.changed', data }]);
    });

    it('applies all changes that are executed concurrently', async () => {
      await Promise.all([
        harness.execute('rules_change', { contribution_amount: 7 }),
        harness.execute('rules_change', { rules: { approvals: { motion: 9 } } }),
        harness.execute('rules_change', { rules: { beneficiaries_per_meeting: 2 } }),
      ]);
      const { rules, rules_version, contribution_amount } = await harness.show();
      expect([rules.approvals.motion, rules.beneficiaries_per_meeting, rules_version]).to.deep.equal([9, 2, 4]);
      expect(contribution_amount).to.equal(7);
    });

    it('fails or makes a concurrent join fail, so that there are never too many members', async () => {
      for (let round = 0; round < 5; round += 1) {
        await harness.foundOurs();
        const [joined, changed] = await Promise.all([
          outcomeOf(harness.join('binta')),
          harness.execute('rules_change', { max_members: 2 }),
        ]);
        const { member_count, max_members } = await harness.show();
        expect(member_count).to.be.at.most(max_members);
        if (joined === 'done') expect(changed).to.deep.equal(failed('association_full'));
        else expect(max_members).to.equal(2);
      }
    });

    it('refuses too few places, amounts with too many decimals and invalid rules', async () => {
      await harness.join('binta');
      for (const [payload, code] of [
        [{ max_members: 2 }, 'association_full'],
        [{ contribution_amount: 0.5 }, 'amount_precision'],
        [{ rules: { currency: 'EUR' } }, 'validation_failed'],
        [{ max_members: 1 }, 'validation_failed'],
      ] as const) {
        await expectRefused('rules_change', payload, code);
      }
      const complaint = await complaintOf(check('rules_change', { contribution_amount: 0.5 }));
      expect(complaint).to.deep.equal(['amount_precision', '/payload/contribution_amount']);
    });
  });

  describe('to change a role', () => {
    const change = (role: string, member_id = harness.awa.id) =>
      harness.execute('role_change', { member_id, role }, approval_id);
    const roles = async () => (await harness.members()).map(({ user_id, role }) => `${user_id}: ${role}`);
    const changes = async () =>
      (await harness.events(harness.association_id, 'member.role_changed')).map(({ data }) => data);

    it('changes the role and publishes an event once per approval, even if calls are concurrent', async () => {
      const { id: member_id } = harness.awa;
      for (const outcome of await Promise.all(atOnce(6, () => change('treasurer')))) {
        expect(outcome).to.deep.equal(DONE);
      }
      expect(await roles()).to.deep.equal(['host: president', 'awa: treasurer']);
      expect(await changes()).to.deep.equal([{ member_id, from: 'member', to: 'treasurer', approval_id }]);
      await harness.appoint(member_id, 'member');
      expect(await change('treasurer')).to.deep.equal(DONE);
      expect(await roles()).to.include('awa: member');
    });

    it('makes a new president and turns the former one into a member, in one step', async () => {
      await check('role_change', { member_id: harness.awa.id, role: 'president' });
      await change('president');
      expect(await roles()).to.deep.equal(['host: member', 'awa: president']);
      expect((await changes()).map(({ from, to }) => [from, to])).to.deep.equal([
        ['president', 'member'],
        ['member', 'president'],
      ]);
    });

    it('fails permanently for a member who has left, even if they rejoin', async () => {
      await harness.leave('awa');
      expect(await change('secretary')).to.deep.equal(failed('not_found'));
      await harness.join('awa');
      expect(await change('secretary')).to.deep.equal(failed('not_found'));
      expect(await changes()).to.deep.equal([]);
    });

    it('is refused for a president without a successor, an unknown member and an invalid payload', async () => {
      await expectRefused('role_change', { member_id: harness.host_id, role: 'member' }, 'president_cannot_leave');
      await expectRefused('role_change', { member_id: harness.newId(), role: 'member' }, 'not_found');
      await expectRefused('role_change', { role: 'king' }, 'validation_failed');
    });
  });

  describe('to expel a member', () => {
    const expel = (member_id = harness.awa.id, id = harness.newId()) => harness.execute('expulsion', { member_id }, id);
    const expulsions = () => harness.events(harness.association_id, 'member.expelled');

    it('frees a place, publishes an event, and ends access for the member', async () => {
      const { id: member_id } = harness.awa;
      await check('expulsion', { member_id });
      expect(await expel(member_id, approval_id)).to.deep.equal(DONE);
      expect(await countNow()).to.equal(1);
      const data = { member_id, user_id: 'awa', approval_id };
      expect(await expulsions()).to.deep.equal([{ type: 'member.expelled', data }]);
      const expelled = { id: member_id, status: 'expelled', hands: 1, payout_wallet_id: 'wallet-awa-XAF' };
      expect((await harness.members())[1]).to.include(expelled);
      expect(await outcomeOf(harness.members('awa'))).to.equal('not_found');
    });

    it('succeeds once if two approvals are executed concurrently and repeatedly', async () => {
      const first = atOnce(5, () => expel(harness.awa.id, approval_id));
      const outcomes = await Promise.all([...first, expel()]);
      expect(new Set(outcomes.map(({ error }) => error))).to.deep.equal(new Set(['not_found', null]));
      expect(await countNow()).to.equal(1);
      expect(await expulsions()).to.have.length(1);
    });

    it('keeps the member count correct when the member leaves concurrently', async () => {
      await Promise.allSettled([expel(), harness.leave('awa')]);
      expect(await countNow()).to.equal(1);
    });

    it('is refused for the president and for users who are not active members', async () => {
      await expectRefused('expulsion', { member_id: harness.host_id }, 'president_cannot_leave');
      await expectRefused('expulsion', { member_id: harness.newId() }, 'not_found');
      await expectRefused('expulsion', { member_id: 'no-such-member' }, 'not_found');
      await harness.leave('awa');
      await expectRefused('expulsion', { member_id: harness.awa.id }, 'not_found');
    });

    it('is refused while a running cycle binds the member, but not for a member who has joined since it began', async () => {
      harness.contribution.obligations.cycle_running = true;
      await harness.bindCycle();
      await expectRefused('expulsion', { member_id: harness.awa.id }, 'member_has_obligations');
      const binta = await harness.join('binta');
      expect(await expel(binta.id)).to.deep.equal(DONE);
    });

    it('is possible once the cycle has completed, even before its event arrives and despite arrears', async () => {
      await harness.bindCycle();
      harness.contribution.obligations.has_arrears = true;
      const before = await state();
      await check('expulsion', { member_id: harness.awa.id });
      expect(await state()).to.deep.equal(before);
      expect(await expel()).to.deep.equal(DONE);
    });

    it('is refused while a cash deposit or distribution of the member is pending', async () => {
      harness.treasury.pending = true;
      await expectRefused('expulsion', { member_id: harness.awa.id }, 'member_has_obligations');
      expect([...harness.treasury.membership_locks.values()]).to.not.include(`${harness.awa.id}/0`);
      harness.treasury.pending = false;
      expect(await expel()).to.deep.equal(DONE);
    });

    it('can be undone only by an invitation, which restores the same member with their wallet', async () => {
      await expel();
      expect(await outcomeOf(harness.join('awa'))).to.equal('not_found');
      const { code } = await harness.invite('host');
      const back = await harness.accept('awa', code, 2);
      expect(back).to.include({ id: harness.awa.id, role: 'member', status: 'active', hands: 2 });
      expect(back.payout_wallet_id).to.equal(harness.awa.payout_wallet_id);
      expect(await countNow()).to.equal(2);
    });
  });

  for (const decision of ['rejected', 'expired', 'cancelled'] as const) {
    it(`has no effect when it was ${decision}`, async () => {
      const { association_id, awa } = harness;
      const before = await state();
      const outcome = await harness.command(executeApproval, {
        association_id,
        approval_id,
        subject_type: 'role_change',
        subject_id: harness.newId(),
        decision,
        payload: { member_id: awa.id, role: 'treasurer' },
      });
      expect(outcome).to.deep.equal(DONE);
      expect(await state()).to.deep.equal(before);
    });
  }

  it('of a type without effect in membership is checked and executed for existing associations only', async () => {
    await check('motion', { text: 'We meet on Sundays.' });
    expect(await harness.execute('motion', { text: 'We meet on Sundays.' })).to.deep.equal(DONE);
    harness.association_id = harness.newId();
    expect(await outcomeOf(check('motion', {}))).to.equal('not_found');
    expect(await outcomeOf(harness.execute('motion', {}))).to.equal('not_found');
  });
});
